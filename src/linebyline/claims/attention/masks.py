"""Claims on masked attention, and on computing attention: parameters, order, cost, gradients."""

import math

import numpy as np
import torch

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, draw, holds, operations, qkv

# The scores that document 001 draws for its masked example; entries above the diagonal are hidden.
EXAMPLE_SCORES = np.array([[0.9, 0, 0, 0], [0.3, 0.9, 0, 0], [0.1, 2.3, 0.9, 0], [2.0, -1.5, 0.2, 0.9]])


def _row(numbers: np.ndarray, digits: int = 4) -> str:
    return "[" + " ".join(f"{number:.{digits}f}" for number in numbers) + "]"


@claim("000", "masks", "Causality asks to hide the past.")
@corrected("The future. The triangle above the diagonal, which that document masks, is the future.")
def _masks_the_past() -> str:
    seen = np.flatnonzero(F.causal_mask(5)[2])
    return f"of positions 0 to 4, position 2 sees {', '.join(map(str, seen))}"


@claim("000", "masks", "Masking sets some dot products to zero (in a hidden remark).")
@corrected("To -inf. A score of 0 still gets weight, since exp(0) = 1.")
def _masked_scores_zero() -> str:
    with_zero = F.softmax(np.array([0.3, 0.9, 0.0, 0.0]))[2:].sum()
    with_infinity = F.softmax(np.array([0.3, 0.9, -np.inf, -np.inf]))[2:].sum()
    return f"hidden weight with score 0: {with_zero:.2f}, with -inf: {with_infinity:.2f}"


@claim("000", "scaling", "A mask partly spoils the argument for √d (in a hidden remark).")
@corrected("The argument is about each score by itself; those left visible have the same variance.")
def _mask_breaks_scale() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 200, 32, 16))  # (draws, T, d_k)
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(16)  # (draws, T, S)
    visible = scores[:, F.causal_mask(32)]
    return f"variance of all scaled scores {scores.var():.1f}, of the visible ones {visible.var():.1f}"


@claim("001", "masks", "Scores of -inf make the softmax give 0 to later tokens.")
@holds("Exactly 0, not nearly. This is the softmax of the scores drawn there.")
def _mask_gives_zero() -> str:
    hidden = F.softmax(np.where(F.causal_mask(4), EXAMPLE_SCORES, -np.inf))[~F.causal_mask(4)]
    return f"{(hidden == 0).sum()} of {hidden.size} hidden weights exactly 0"


@claim("001", "masks", "Each row of the masked example spreads its weight over itself and earlier tokens.")
@holds("The softmax of its four rows of scores, visible part.")
def _mask_example() -> str:
    weights = F.softmax(np.where(F.causal_mask(4), EXAMPLE_SCORES, -np.inf))
    return ", ".join(_row(weights[i, : i + 1]) for i in range(4))


@claim("001", "masks", "The drawing fills hidden places with an infinity without its minus sign.")
@corrected("The text's negative infinity is right; the other sign breaks the row.")
def _sign_of_infinity() -> str:
    row = np.array([0.3, 0.9, np.inf, np.inf])
    with np.errstate(invalid="ignore"):
        plus, minus = F.softmax(row), F.softmax(np.where(np.isposinf(row), -np.inf, row))
    return f"row 1 with +inf: {int(np.isnan(plus).sum())} nan; with -inf: {_row(minus)}"


@claim("003", "softmax", "The entries form a Markov chain.")
@corrected("Of first order it is not: each output depends on the whole prefix, not on the last entry alone.")
def _markov_chain() -> str:
    x = np.random.default_rng(0).normal(size=(5, 4))
    output, _ = F.scaled_dot_product_attention(x, x, x, F.causal_mask(5))
    x[0] += 1.0
    moved = np.abs(F.scaled_dot_product_attention(x, x, x, F.causal_mask(5))[0] - output).max(axis=-1)
    return f"token 0 changed: outputs {', '.join(map(str, np.flatnonzero(moved > 1e-6)))} of 0 to 4 move"


@claim("003", "masks", "The sum runs over j ≤ i; over what the softmax runs is left open.")
@depends("It must run over j ≤ i as well, or the weights that are used sum to less than one.")
def _softmax_range() -> str:
    x = np.random.default_rng(0).normal(size=(4, 3))
    _, weights = F.scaled_dot_product_attention(x, x, x)
    _, masked = F.scaled_dot_product_attention(x, x, x, F.causal_mask(4))
    truncated = np.where(F.causal_mask(4), weights, 0).sum(axis=-1)
    return f"row sums if cut afterwards {_row(truncated, 2)}, if masked first {_row(masked.sum(axis=-1), 2)}"


@claim("003", "masks", "Position i attends to positions 1 to i-1.")
@corrected("To itself as well, as that document's own sum has it; the first would see nothing.")
def _excludes_itself() -> str:
    x = np.random.default_rng(0).normal(size=(4, 3))
    masks = np.tri(4, k=-1, dtype=bool), F.causal_mask(4)
    sums = [F.scaled_dot_product_attention(x, x, x, mask)[1][0].sum() for mask in masks]
    return f"weight the first token can give: {sums[0]:.0f} without itself, {sums[1]:.0f} with"


@claim("004", "masks", "Future scores set to -inf before the softmax get weight 0.")
@holds("Exactly 0, for every query.")
def _mask_before_softmax() -> str:
    q, k, v = np.random.default_rng(0).normal(size=(3, 5, 2))
    _, weights = F.scaled_dot_product_attention(q, k, v, F.causal_mask(5))
    future = weights[~F.causal_mask(5)]
    return f"{(future == 0).sum()} of {future.size} future weights exactly 0"


@claim("004", "masks", "Under the causal mask token 1 sees one token, token 2 sees two, and so on.")
@holds("Counting from 1, token i sees i tokens.")
def _tokens_seen() -> str:
    return "positions 1 to 5 see " + ", ".join(map(str, F.causal_mask(5).sum(axis=-1))) + " tokens"


@claim("001", "qkv", "Attention of the input with copies of itself has no learnable parameters.")
@holds("Only the input enters. The scores are then symmetric, which words in a sentence are not.")
def _no_parameters() -> str:
    x = np.random.default_rng(0).normal(size=(4, 8))
    output, _ = F.scaled_dot_product_attention(x, x, x)
    scores = x @ x.T
    return f"{x.shape} in, {output.shape} out, nothing else; scores symmetric: {np.allclose(scores, scores.T)}"


@claim("001", "qkv", "A single head, unlike several, has no weight matrices.")
@depends("True of the toy with plain copies. A real single head has W_Q, W_K, W_V and W_O.")
def _single_head_matrices() -> str:
    return f"by arithmetic: one head, d_model=512: 4 matrices, {4 * 512**2:,} weights"


@claim("001", "row-form", "Computing one query's row at a time gives the same result.")
@holds("Row by row and all at once agree, with the scale kept.")
def _row_by_row() -> str:
    q, k, v = qkv(T=7, d=4)
    rows = []
    for query in q:
        exponentials = np.exp(k @ query / math.sqrt(4))  # (S,)
        rows.append((exponentials[:, None] * v).sum(axis=0) / exponentials.sum())  # (d_v,)
    return difference(np.abs(F.scaled_dot_product_attention(q, k, v)[0] - np.array(rows)).max())


@claim("001", "row-form", "The row-by-row form takes exp(q·k), without √d_k.")
@corrected("The scale must stay: without it the result differs, and with wide vectors exp can overflow in float32.")
def _row_form_unscaled() -> str:
    q, k = draw((1000, 512), (2048, 512))
    largest = (q @ k.T).max(axis=-1)  # (T,)
    overflow = np.log(np.finfo(np.float32).max)
    unscaled, scaled = (largest > overflow).mean(), (largest / math.sqrt(512) > overflow).mean()
    return f"rows beyond exp({overflow:.2f}), float32's limit: {unscaled:.0%} unscaled, {scaled:.0%} scaled"


@claim("001", "row-form", "Row by row, Q, K and V need not be held in memory whole.")
@corrected("Without a mask, every row needs all of K and V. What is saved is the N x N matrix of scores.")
def _row_form_memory() -> str:
    k, v = np.zeros((2, 2048, 64))
    row = k @ k[0]  # (S,)
    sizes = f"K and V {k.size + v.size:,}, one row of scores {row.size:,}, all scores {row.size**2:,}"
    return f"numbers at N=2048, d=64: {sizes}"


@claim("002", "qkv", "In the paper the widths and the numbers of keys and values are all 64.")
@depends("As widths of a head, yes: d_k = d_v = 64. How many keys there are, the sequence decides.")
def _all_64() -> str:
    d_model, n_heads = 512, 8
    q, k, v = (np.zeros((T, d_model // n_heads)) for T in (3, 5, 5))
    output, _ = F.scaled_dot_product_attention(q, k, v)
    return f"512 / 8 heads = {d_model // n_heads}; 5 keys of width 64 serve 3 queries: output {output.shape}"


@claim("004", "flops", "Attention costs O(n²), n being the hidden size there.")
@corrected(
    "Scores and sums are quadratic in the number of tokens m, linear in the width, O(m² d); the matrices add m d²."
)
def _cost() -> str:
    def cost(T: int, d: int) -> int:
        q = torch.zeros(T, d, device="meta")
        return operations(torch.nn.functional.scaled_dot_product_attention, q, q, q)

    longer, wider = cost(32, 8) // cost(16, 8), cost(16, 16) // cost(16, 8)
    return f"twice the tokens: times {longer}; twice the width: times {wider}"


@claim("004", "qkv", "The length of the sequence is fixed.")
@corrected("Not by attention: its weights do not know the length. Position tables and caches may.")
def _fixed_length() -> str:
    w_q, w_k, w_v = np.random.default_rng(0).normal(size=(3, 8, 8))
    shapes = []
    for T in (3, 300):
        x = np.ones((T, 8))
        shapes.append(str(F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)[0].shape))
    return f"the same weights give {' and '.join(shapes)}"


@claim("004", "trained", "Self-attention reaches far tokens as well as near ones.")
@holds("Unmasked, the distance does not enter at all: keys may come in any order.")
def _long_range() -> str:
    q, k, v = qkv()
    order = [4, 2, 0, 3, 1]
    moved = F.scaled_dot_product_attention(q, k[order], v[order])[0] - F.scaled_dot_product_attention(q, k, v)[0]
    return f"keys and values in another order: {difference(np.abs(moved).max())}"


@claim("004", "backward-question", "The derivation of the gradients of Q, K and V.")
@holds("Each line of it is a line of scaled_dot_product_attention_backward.")
def _backward() -> str:
    q, k, v = qkv()
    d_output, step, worst = np.random.default_rng(1).normal(size=(5, 3)), 1e-5, 0.0
    gradients = F.scaled_dot_product_attention_backward(d_output, q, k, v)
    for array, gradient in zip((q, k, v), gradients, strict=True):
        for place in np.ndindex(array.shape):
            entry, ends = array[place], []
            for moved in (entry + step, entry - step):
                array[place] = moved
                ends.append((F.scaled_dot_product_attention(q, k, v)[0] * d_output).sum())
            array[place] = entry
            worst = max(worst, abs((ends[0] - ends[1]) / (2 * step) - gradient[place]))
    return f"against finite differences, 45 entries: {difference(worst, 1e-8)}"
