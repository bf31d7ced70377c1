"""Claims on masked attention: what is hidden, with what, and what is left of the weights."""

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, holds

# The scores that document 001 draws for its masked example; what lies above the diagonal is hidden.
EXAMPLE_SCORES = np.array([[0.9, 0, 0, 0], [0.3, 0.9, 0, 0], [0.1, 2.3, 0.9, 0], [2.0, -1.5, 0.2, 0.9]])


def _row(numbers: np.ndarray, digits: int = 4) -> str:
    return "[" + " ".join(f"{number:.{digits}f}" for number in numbers) + "]"


@claim("000.masks-the-past", "sec-masks", "Causality asks to hide the past.")
@corrected("The future. The triangle above the diagonal, which that document masks, is the future.")
def _hides_the_future() -> str:
    seen = np.flatnonzero(F.causal_mask(5)[2])
    return f"of positions 0 to 4, position 2 sees {', '.join(map(str, seen))}"


@claim("000.masked-scores-zero", "sec-masks", "Masking sets some dot products to zero (in a hidden remark).")
@corrected("To -inf. A score of 0 still gets weight, since exp(0) = 1.")
def _zero_is_no_mask() -> str:
    with_zero = F.softmax(np.array([0.3, 0.9, 0.0, 0.0]))[2:].sum()
    with_infinity = F.softmax(np.array([0.3, 0.9, -np.inf, -np.inf]))[2:].sum()
    return f"hidden weight with score 0: {with_zero:.2f}, with -inf: {with_infinity:.2f}"


@claim("000.mask-breaks-scale", "sec-scaling", "A mask partly spoils the argument for √d (in a hidden remark).")
@corrected("The argument is about each score by itself; those left visible have the same variance.")
def _variance_under_mask() -> str:
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 200, 32, 16))  # (draws, T, d_k)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(16)  # (draws, T, S)
    visible = scores[:, F.causal_mask(32)]
    return f"variance of all scaled scores {scores.var():.1f}, of the visible ones {visible.var():.1f}"


@claim("001.mask-gives-zero", "sec-masks", "Scores of -inf make the softmax give 0 to later tokens.")
@holds("Exactly 0, not nearly. This is the softmax of the scores drawn there.")
def _example_hidden() -> str:
    weights = F.softmax(np.where(F.causal_mask(4), EXAMPLE_SCORES, -np.inf))
    hidden = weights[~F.causal_mask(4)]
    return f"{(hidden == 0).sum()} of {hidden.size} hidden weights exactly 0"


@claim(
    "001.mask-example", "sec-masks", "Each row of the masked example spreads its weight over itself and earlier tokens."
)
@holds("The softmax of its four rows of scores, visible part.")
def _example_rows() -> str:
    weights = F.softmax(np.where(F.causal_mask(4), EXAMPLE_SCORES, -np.inf))
    return ", ".join(_row(weights[i, : i + 1]) for i in range(4))


@claim("001.sign-of-infinity", "sec-masks", "The drawing fills hidden places with an infinity without its minus sign.")
@corrected("The text's negative infinity is right; the other sign breaks the row.")
def _sign_of_infinity() -> str:
    row = np.array([0.3, 0.9, np.inf, np.inf])
    with np.errstate(invalid="ignore"):
        plus, minus = F.softmax(row), F.softmax(np.where(np.isposinf(row), -np.inf, row))
    return f"row 1 with +inf: {int(np.isnan(plus).sum())} nan; with -inf: {_row(minus)}"


@claim("003.markov-chain", "sec-softmax", "The entries form a Markov chain.")
@corrected("Of first order it is not: each output depends on the whole prefix, not on the last entry alone.")
def _whole_prefix() -> str:
    x = np.random.default_rng(0).normal(size=(5, 4))
    output, _ = F.scaled_dot_product_attention(x, x, x, F.causal_mask(5))
    x[0] += 1.0
    moved = np.abs(F.scaled_dot_product_attention(x, x, x, F.causal_mask(5))[0] - output).max(axis=-1)
    return f"token 0 changed: outputs {', '.join(map(str, np.flatnonzero(moved > 1e-6)))} of 0 to 4 move"


@claim("003.softmax-range", "sec-masks", "The sum runs over j ≤ i; over what the softmax runs is left open.")
@depends("It must run over j ≤ i as well, or the weights that are used sum to less than one.")
def _normalise_over_prefix() -> str:
    x = np.random.default_rng(0).normal(size=(4, 3))
    _, weights = F.scaled_dot_product_attention(x, x, x)
    _, masked = F.scaled_dot_product_attention(x, x, x, F.causal_mask(4))
    truncated = np.where(F.causal_mask(4), weights, 0).sum(axis=-1)
    return f"row sums if cut afterwards {_row(truncated, 2)}, if masked first {_row(masked.sum(axis=-1), 2)}"


@claim("003.excludes-itself", "sec-masks", "Position i attends to positions 1 to i-1.")
@corrected("To itself as well, as that document's own sum has it; the first would see nothing.")
def _excludes_itself() -> str:
    x = np.random.default_rng(0).normal(size=(4, 3))
    masks = np.tri(4, k=-1, dtype=bool), F.causal_mask(4)
    sums = [F.scaled_dot_product_attention(x, x, x, mask)[1][0].sum() for mask in masks]
    return f"weight the first token can give: {sums[0]:.0f} without itself, {sums[1]:.0f} with"


@claim("004.mask-before-softmax", "sec-masks", "Future scores set to -inf before the softmax get weight 0.")
@holds("Exactly 0, for every query.")
def _future_weights() -> str:
    q, k, v = np.random.default_rng(0).normal(size=(3, 5, 2))
    _, weights = F.scaled_dot_product_attention(q, k, v, F.causal_mask(5))
    future = weights[~F.causal_mask(5)]
    return f"{(future == 0).sum()} of {future.size} future weights exactly 0"


@claim("004.tokens-seen", "sec-masks", "Under the causal mask token 1 sees one token, token 2 sees two, and so on.")
@holds("Counting from 1, token i sees i tokens.")
def _visible_tokens() -> str:
    return "positions 1 to 5 see " + ", ".join(map(str, F.causal_mask(5).sum(axis=-1))) + " tokens"
