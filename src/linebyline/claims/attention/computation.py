"""Claims on computing attention: its parameters, its order, its cost and its gradients."""

import math

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, holds


def _draw(T: int = 5, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, k, v = np.random.default_rng(0).normal(size=(3, T, d))
    return q, k, v


@claim("001.no-parameters", "sec-qkv", "Attention of the input with copies of itself has no learnable parameters.")
@holds("Only the input enters. The scores are then symmetric, which words in a sentence are not.")
def _no_parameters() -> str:
    x = np.random.default_rng(0).normal(size=(4, 8))
    output, _ = F.scaled_dot_product_attention(x, x, x)
    scores = x @ x.T
    return f"{x.shape} in, {output.shape} out, nothing else; scores symmetric: {np.allclose(scores, scores.T)}"


@claim("001.single-head-matrices", "sec-qkv", "A single head, unlike several, has no weight matrices.")
@depends("True of the toy with plain copies. A real single head has W_Q, W_K, W_V and W_O.")
def _single_head_matrices() -> str:
    matrices = [np.zeros((512, 512), dtype=np.float32) for _ in ("w_q", "w_k", "w_v", "w_o")]
    return f"one head, d_model=512: {len(matrices)} matrices, {sum(w.size for w in matrices):,} weights"


@claim("001.row-by-row", "sec-row-form", "Computing one query's row at a time gives the same result.")
@holds("Row by row and all at once agree, with the scale kept.")
def _row_by_row() -> str:
    q, k, v = _draw(T=7, d=4)
    rows = []
    for query in q:
        exponentials = np.exp(k @ query / math.sqrt(4))  # (S,)
        rows.append((exponentials[:, None] * v).sum(axis=0) / exponentials.sum())  # (d_v,)
    return difference(np.abs(F.scaled_dot_product_attention(q, k, v)[0] - np.array(rows)).max())


@claim("001.row-form-unscaled", "sec-row-form", "The row-by-row form takes exp(q·k), without √d_k.")
@corrected("The scale must stay: without it the result differs, and exp soon overflows in float32.")
def _row_form_unscaled() -> str:
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(1000, 512)), rng.normal(size=(2048, 512))
    largest = (q @ k.T).max(axis=-1)  # (T,)
    overflow = np.log(np.finfo(np.float32).max)
    unscaled, scaled = (largest > overflow).mean(), (largest / math.sqrt(512) > overflow).mean()
    return f"rows beyond exp({overflow:.2f}), float32's limit: {unscaled:.0%} unscaled, {scaled:.0%} scaled"


@claim("001.row-form-memory", "sec-row-form", "Row by row, Q, K and V need not be held in memory whole.")
@corrected("Every row needs all of K and V. What is saved is the N x N matrix of scores.")
def _memory() -> str:
    k, v = np.zeros((2, 2048, 64))
    row = k @ k[0]  # (S,)
    sizes = f"K and V {k.size + v.size:,}, one row of scores {row.size:,}, all scores {row.size**2:,}"
    return f"numbers at N=2048, d=64: {sizes}"


@claim("002.all-64", "sec-qkv", "In the paper the widths and the numbers of keys and values are all 64.")
@depends("As widths of a head, yes: d_k = d_v = 64. How many keys there are, the sequence decides.")
def _all_64() -> str:
    d_model, n_heads = 512, 8
    q, k, v = (np.zeros((T, d_model // n_heads)) for T in (3, 5, 5))
    output, _ = F.scaled_dot_product_attention(q, k, v)
    return f"512 / 8 heads = {d_model // n_heads}; 5 keys of width 64 serve 3 queries: output {output.shape}"


@claim("004.cost", "sec-flops", "Attention costs O(n²), n being the hidden size there.")
@corrected("Quadratic in the number of tokens m, linear in the width: O(m² d).")
def _cost() -> str:
    def multiplications(m: int, n: int) -> int:
        scores = np.zeros((m, n)) @ np.zeros((n, m))
        return 2 * n * scores.size  # n for each score, and n for each value it weighs

    base = multiplications(16, 8)
    return f"twice the tokens: times {multiplications(32, 8) // base}; twice the width: times " + (
        f"{multiplications(16, 16) // base}"
    )


@claim("004.fixed-length", "sec-attention-claims", "The length of the sequence is fixed.")
@corrected("Not by attention: its weights do not know the length. Position tables and caches may.")
def _any_length() -> str:
    w_q, w_k, w_v = np.random.default_rng(0).normal(size=(3, 8, 8))
    shapes = []
    for T in (3, 300):
        x = np.ones((T, 8))
        shapes.append(str(F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)[0].shape))
    return f"the same weights give {' and '.join(shapes)}"


@claim("004.long-range", "sec-trained", "Self-attention reaches far tokens as well as near ones.")
@holds("Unmasked, the distance does not enter at all: keys may come in any order.")
def _long_range() -> str:
    q, k, v = _draw()
    order = [4, 2, 0, 3, 1]
    moved = F.scaled_dot_product_attention(q, k[order], v[order])[0] - F.scaled_dot_product_attention(q, k, v)[0]
    return f"keys and values in another order: {difference(np.abs(moved).max())}"


@claim("004.backward", "sec-backward-question", "The derivation of the gradients of Q, K and V.")
@holds("Each line of it is a line of scaled_dot_product_attention_backward.")
def _backward() -> str:
    q, k, v = _draw()
    d_output, step, worst = np.random.default_rng(1).normal(size=(5, 3)), 1e-5, 0.0
    gradients = F.scaled_dot_product_attention_backward(d_output, q, k, v)
    for array, gradient in zip((q, k, v), gradients, strict=True):
        for place in np.ndindex(array.shape):
            kept, ends = array[place], []
            for moved in (kept + step, kept - step):
                array[place] = moved
                ends.append((F.scaled_dot_product_attention(q, k, v)[0] * d_output).sum())
            array[place] = kept
            worst = max(worst, abs((ends[0] - ends[1]) / (2 * step) - gradient[place]))
    return f"against finite differences, 45 entries: {difference(worst, 1e-8)}"
