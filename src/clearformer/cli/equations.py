"""Each parameter of a model beside the equation that it belongs to, and the chapter that derives this."""

import re
from collections.abc import Collection

# Names of parameters, as regular expressions; what is computed with each, with a bias where there is one; the chapter.
TABLE: list[tuple[str, str, str]] = [
    (r"embedding\.table", "X = E[ids]", "embeddings"),
    (r"embedding\.position\.table", "X = E[ids] + P[t]", "positional_encoding"),
    (r"embedding\.segments", "X = E[ids] + S[segment]", "encoder"),
    (r"position_bias\.table", "scores = Q K^T + B[bucket(s - t)]", "relative_positions"),
    (r"attention\.[wb]_qkv", "[Q K V] = X [W_Q W_K W_V] + b", "multi_head_attention"),
    (r"cross\.[wb]_qkv", "Q = X W_Q + b; [K V] = Z [W_K W_V] + b", "masks_and_cross_attention"),
    (r"(attention|cross)\.[wb]_o", "Y = [head_1 ... head_h] W_O + b_O", "multi_head_attention"),
    (r"feed_forward\.[wb]_in", "H = phi(X W_1 + b_1)", "feed_forward"),
    (r"feed_forward\.[wb]_out", "Y = H W_2 + b_2", "feed_forward"),
    (r"feed_forward\.[wb]_(gate|up)", "H = phi(X W_gate + b_gate) * (X W_up + b_up)", "feed_forward"),
    (r"feed_forward\.[wb]_down", "Y = H W_down + b_down", "feed_forward"),
    (r"norm\w*\.(gamma|beta)", "(x - mean) / deviation * gamma + beta", "normalization"),
    (r"(lm_head|head)\.[wb]", "logits = X W + b", "language_model"),
    (r"head\.dense\.[wb]", "H = phi(X W + b)", "encoder"),
    (r"head\.c", "logits = norm(H) E^T + c", "encoder"),
    (r"head\.pooler\.[wb]", "h = tanh(x_0 W + b)", "encoder"),
    (r"head\.classes\.[wb]", "logits = h W + b", "encoder"),
]
# Where a file keeps apart what is one matrix here.
PARTS = {
    "attention": ("Q = X W_Q + b_Q", "K = X W_K + b_K", "V = X W_V + b_V"),
    "cross": ("Q = X W_Q + b_Q", "K = Z W_K + b_K", "V = Z W_V + b_V"),
}
ROOT_MEAN_SQUARE = "x / root_mean_square * gamma"
TIED = "X = E[ids]; logits = X E^T"


def equation(name: str, names: Collection[str], part: int | None = None) -> tuple[str, str]:
    """Return the equation and the chapter of a parameter; for a name that no model here has, there is a KeyError.

    ``names`` are all parameters of the model, which say whether there is a bias. Where a file has queries, keys and
    values apart, ``part`` is 0, 1 or 2.

    Example:
        >>> equation("blocks.0.attention.w_qkv", [], part=1)
        ('K = X W_K', 'multi_head_attention')
    """
    found = next((row for row in TABLE if re.fullmatch(rf"(.*\.)?{row[0]}", name)), None)
    if found is None:
        raise KeyError(name)
    _, formula, chapter = found
    of_layer = re.search(r"(attention|cross)\.[wb]_qkv$", name)
    if of_layer and part is not None:
        formula = PARTS[of_layer[1]][part]
    if name.endswith(".gamma") and f"{name.removesuffix('gamma')}beta" not in names:
        formula = ROOT_MEAN_SQUARE
    if re.sub(r"\.w(?=_\w+$|$)", ".b", name) not in names:
        formula = re.sub(r" \+ b(?!eta)\w*", "", formula)
    return formula, chapter
