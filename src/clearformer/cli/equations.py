"""Each parameter of a model beside the equation that it belongs to, and the chapter that derives this."""

import re
from collections.abc import Collection

# Names of parameters, as regular expressions; what is computed with each; the chapter.
TABLE: list[tuple[str, str, str]] = [
    (r"embedding\.table", "X = E[ids]", "embeddings"),
    (r"embedding\.position\.table", "X = E[ids] + P[t]", "positional_encoding"),
    (r"embedding\.segments", "X = E[ids] + S[segment]", "encoder"),
    (r"position_bias\.table", "scores = Q K^T + B[bucket(s - t)]", "relative_positions"),
    (r"attention\.w_qkv", "[Q K V] = X [W_Q W_K W_V]", "multi_head_attention"),
    (r"attention\.b_qkv", "[Q K V] = X [W_Q W_K W_V] + b", "multi_head_attention"),
    (r"(attention|cross)\.w_o", "Y = [head_1 ... head_h] W_O", "multi_head_attention"),
    (r"(attention|cross)\.b_o", "Y = [head_1 ... head_h] W_O + b_O", "multi_head_attention"),
    (r"cross\.w_qkv", "Q = X W_Q; [K V] = Z [W_K W_V]", "masks_and_cross_attention"),
    (r"cross\.b_qkv", "Q = X W_Q + b; [K V] = Z [W_K W_V] + b", "masks_and_cross_attention"),
    (r"feed_forward\.w_in", "H = phi(X W_1 + b_1)", "feed_forward"),
    (r"feed_forward\.b_in", "H = phi(X W_1 + b_1)", "feed_forward"),
    (r"feed_forward\.w_out", "Y = H W_2 + b_2", "feed_forward"),
    (r"feed_forward\.b_out", "Y = H W_2 + b_2", "feed_forward"),
    (r"feed_forward\.w_gate", "H = phi(X W_gate) * (X W_up)", "feed_forward"),
    (r"feed_forward\.w_up", "H = phi(X W_gate) * (X W_up)", "feed_forward"),
    (r"feed_forward\.w_down", "Y = H W_down", "feed_forward"),
    (r"norm\w*\.gamma", "(x - mean) / deviation * gamma + beta", "normalization"),
    (r"norm\w*\.beta", "(x - mean) / deviation * gamma + beta", "normalization"),
    (r"read_out\.w", "logits = X W", "language_model"),
    (r"read_out\.b", "logits = X W + b", "encoder"),
    (r"read_out\.dense\.[wb]", "H = phi(X W + b)", "encoder"),
    (r"read_out\.c", "logits = norm(H) E^T + c", "encoder"),
    (r"read_out\.pooler\.[wb]", "h = tanh(x_0 W + b)", "encoder"),
    (r"read_out\.classes\.[wb]", "logits = h W + b", "encoder"),
]
# Where a file keeps apart what is one matrix here.
PARTS = {
    "attention": ("Q = X W_Q", "K = X W_K", "V = X W_V"),
    "cross": ("Q = X W_Q", "K = Z W_K", "V = Z W_V"),
}
ROOT_MEAN_SQUARE = "x / root_mean_square * gamma"


def equation(name: str, names: Collection[str], part: int | None = None) -> tuple[str, str]:
    """Give the equation and the chapter of a parameter.

    Args:
        name: The parameter, such as ``"blocks.0.attention.w_o"``.
        names: All parameters of the model.
        part: Which of three tensors it is, 0 to 2, where a file has queries, keys and values apart.

    Raises:
        KeyError: no parameter of a model here has such a name.

    Example:
        >>> equation("blocks.0.attention.w_qkv", [], part=1)
        ('K = X W_K', 'multi_head_attention')
    """
    of_layer = re.search(r"(attention|cross)\.[wb]_qkv$", name)
    for pattern, formula, chapter in TABLE:
        if re.fullmatch(rf"(.*\.)?{pattern}", name):
            if part is not None and of_layer:
                formula = PARTS[of_layer[1]][part] + (f" + b_{'QKV'[part]}" if ".b_" in name else "")
            if name.endswith(".gamma") and f"{name.removesuffix('gamma')}beta" not in names:
                formula = ROOT_MEAN_SQUARE
            return formula, chapter
    raise KeyError(name)
