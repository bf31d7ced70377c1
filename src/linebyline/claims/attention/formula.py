"""Claims on scores, the weights that a softmax makes of them, and the values they average."""

import math

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, draw, gap, holds, product, qkv


def _dot_products(d_k: int, sigma: float = 1.0, pairs: int = 50_000) -> np.ndarray:
    rng = np.random.default_rng(0)
    q, k = sigma * rng.normal(size=(2, pairs, d_k))  # (pairs, d_k)
    scores: np.ndarray = (q * k).sum(axis=-1)  # (pairs,)
    return scores


def _similarity(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


@claim("000", "scaling", "Dividing by √d takes the growth with d out of the score's variance.")
@holds("The variance of the scaled score is the same at every width.")
def _scale_cancels_width() -> str:
    drawn = ((d, _dot_products(d, pairs=20_000)) for d in (4, 64, 256))
    return "; ".join(f"d={d}: {s.var():.0f} before, {(s / math.sqrt(d)).var():.1f} after" for d, s in drawn)


@claim("000", "scaling", "Components of variance σ² give a score of variance d σ².")
@corrected("It is d σ⁴: each term is a product of two components. They must be independent, too.")
def _score_variance() -> str:
    ratios = (_dot_products(64, sigma).var() / (64 * sigma**2) for sigma in (0.5, 1.0, 2.0))
    return "variance / (d σ²) at σ = 0.5, 1, 2: " + ", ".join(f"{ratio:.2f}" for ratio in ratios)


@claim("000", "softmax", "The weights in index form, with t′ both as the column and as the summed index.")
@corrected("The sum in the denominator needs an index of its own; then the form is right.")
def _softmax_index() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 5, 3))
    scores = np.exp(np.einsum("ta,sa->ts", q, k) / math.sqrt(3))
    index_form = np.einsum("ts,t->ts", scores, 1 / np.einsum("tu->t", scores))
    _, weights = F.scaled_dot_product_attention(q, k, k)
    return f"einsum with the sum over its own index u: {difference(gap(index_form, weights))}"


@claim("001", "scaling", "The scores are divided by the root of the embedding width, 512.")
@depends("By the root of d_k, the width of a head: the same thing only with a single head.")
def _scale_by_embedding() -> str:
    widths = (F.split_heads(np.zeros((4, 512)), n_heads).shape[-1] for n_heads in (1, 4, 8))
    return "512 in 1, 4, 8 heads: " + ", ".join(f"√{d_k} = {math.sqrt(d_k):.3f}" for d_k in widths)


@claim("001", "cosine", "A dot product says how far apart two embeddings lie.")
@corrected("It grows with alignment and with length: the farther of two keys can score higher.")
def _dot_product_distance() -> str:
    q = np.array([1.0, 0.0])
    parts = []
    for k in (np.array([1.0, 0.0]), np.array([10.0, 10.0])):
        text = f"k=({k[0]:.0f}, {k[1]:.0f}): score {q @ k:.0f}, distance {math.dist(q, k):.1f}"
        parts.append(f"{text}, cosine {_similarity(q, k):.3f}")
    return "; ".join(parts)


@claim("001", "sentence", "Queries times transposed keys is a square matrix.")
@depends("It is T x S: square in self-attention, not when keys come from another sequence.")
def _square_scores() -> str:
    shapes = (np.zeros((T, 2)) @ np.zeros((S, 2)).T for T, S in ((4, 4), (3, 5)))
    return "4 queries, 4 keys: {}; 3 queries, 5 keys: {}".format(*(scores.shape for scores in shapes))


@claim("001", "sentence", "N tokens make N² comparisons.")
@holds("One weight for each pair; a token also meets itself.")
def _quadratic_comparisons() -> str:
    rng = np.random.default_rng(0)
    counts = ((N, rng.normal(size=(N, 2))) for N in (4, 8, 16))
    return ", ".join(f"N={N}: {F.scaled_dot_product_attention(x, x, x)[1].size} weights" for N, x in counts)


@claim("001", "qkv", "A head is the softmax of (Q, K, V), over √d_k, times V.")
@corrected("The softmax takes the scores Q Kᵀ / √d_k only; V comes in after it.")
def _softmax_of_three() -> str:
    q, k, v = np.random.default_rng(0).normal(size=(3, 4, 128))
    _, weights = F.scaled_dot_product_attention(q, k, v)
    return f"{product(q, k.T)}; after the softmax {product(weights, v)}"


@claim("001", "qkv", "Key k_i is a column of K, and the score is drawn as a column times a row.")
@corrected("Key k_i is a row of K. Column times row is a whole matrix; a score is row times column.")
def _column_of_keys() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 512, 1))
    return f"column times row: {(q @ k.T).shape}; row times column: {(q.T @ k).shape}"


@claim("001", "qkv", "Query and key vectors carry context from the entire sequence.")
@depends("Not in the first layer: there they see their own token (and position) only.")
def _queries_encode_context() -> str:
    rng = np.random.default_rng(0)
    x, w_q, w_k = rng.normal(size=(4, 8)), rng.normal(size=(8, 8)), rng.normal(size=(8, 8))
    other = np.concatenate([x[:1], rng.normal(size=(3, 8))])  # the same first token with other neighbors
    change = max(np.abs((x @ w - other @ w)[0]).max() for w in (w_q, w_k))
    mixed = [F.scaled_dot_product_attention(y @ w_q, y @ w_k, y)[0][0] for y in (x, other)]
    moved = "moves" if np.abs(mixed[0] - mixed[1]).max() > 0.01 else "does not move"
    return f"other neighbors: q, k of token 0 {difference(change)}; its attention output {moved}"


@claim("002", "cosine", "Q Kᵀ measures cosine similarity.")
@corrected("A cosine is divided by both lengths. A score is not: a key ten times as long has ten times the score.")
def _cosine() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 8))
    score, cosine = q @ (10 * k) / (q @ k), _similarity(q, 10 * k) / _similarity(q, k)
    return f"a key 10 times as long: score times {score:.1f}, cosine times {cosine:.1f}"


@claim("002", "qkv", "Queries and keys have to be equally wide.")
@holds("The dot product needs it. Values may have a width of their own.")
def _same_width() -> str:
    q, k, wide = np.zeros((3, 2)), np.zeros((5, 2)), np.zeros((5, 4))
    return f"{product(q, k.T)}; {product(q, wide.T)}; as values {product(q @ k.T, wide)}"


@claim("002", "qkv", "In matrix form the queries are X times the transpose of W_Q.")
@corrected("With tokens as rows and W_Q as drawn it is X W_Q, without a transpose.")
def _projection_transposed() -> str:
    x, w = np.zeros((4, 6)), np.zeros((6, 2))
    return f"{product(x, w)}; {product(x, w.T)}"


@claim("002", "sentence", "For l'Afrique the key of visite scores at least as high as the key of Jane.")
@depends("On training. Nothing in the formula prefers one word before the weights are learned.")
def _best_key() -> str:
    q, visite, jane = np.random.default_rng(0).normal(size=(3, 10_000, 8))
    fraction = ((q * visite).sum(axis=-1) >= (q * jane).sum(axis=-1)).mean()
    return f"true of {fraction:.2f} of 10,000 untrained draws"


@claim("003", "qkv", "The score multiplies the query with the value vector.")
@corrected("With the key, as that document's own formula has it; values do not touch the weights.")
def _query_times_value() -> str:
    q, k, v, other = np.random.default_rng(0).normal(size=(4, 5, 3))
    _, weights = F.scaled_dot_product_attention(q, k, v)
    by_value = np.abs(F.scaled_dot_product_attention(q, k, other)[1] - weights).max()
    by_key = np.abs(F.scaled_dot_product_attention(q, other, v)[1] - weights).max()
    return f"new values move the weights by {by_value:.1f}, new keys by {by_key:.1f}"


@claim("004", "scaling", "With standard normal components the score is normal with variance d_K.")
@corrected("Mean 0 and variance d_K are right. It is not normal: excess kurtosis 6 / d_K.")
def _score_normal() -> str:
    def excess_kurtosis(d: int) -> float:
        s = _dot_products(d, pairs=400_000)
        return float((s**4).mean() / (s**2).mean() ** 2 - 3)

    return "excess kurtosis " + ", ".join(f"{excess_kurtosis(d):.1f} at d={d}" for d in (2, 4, 16))


@claim("000", "softmax", "For each query the weights sum to one.")
@holds("Up to rounding, as long as the query may see anything at all.")
def _rows_sum_to_one() -> str:
    _, weights = F.scaled_dot_product_attention(*qkv(T=50))
    sums = weights.sum(axis=-1)
    return f"sums of 50 rows between {sums.min():.9f} and {sums.max():.9f}"


@claim("000", "weighted-average", "The output is a weighted average of the values.")
@holds("No coordinate of an output leaves the range of the values.")
def _weighted_average() -> str:
    q, k, v = qkv(T=50)
    output, _ = F.scaled_dot_product_attention(q, k, v)
    inside = (v.min(axis=0) <= output) & (output <= v.max(axis=0))
    return f"{inside.sum()} of {inside.size} outputs between the smallest and the largest value"


@claim("001", "qkv", "The product with V gives attention scores.")
@corrected("Scores come before the softmax. The product with V gives one output vector for each token.")
def _output_is_scores() -> str:
    x = np.random.default_rng(0).normal(size=(4, 512))
    output, weights = F.scaled_dot_product_attention(x, x, x)
    return f"weights {weights.shape}, after the product with V {output.shape}"


@claim("002", "weighted-average", "The matrix product with V is the weighted sum, although no Σ is written.")
@holds("The sum is inside the product.")
def _matmul_sums() -> str:
    q, k, v = qkv()
    output, weights = F.scaled_dot_product_attention(q, k, v)
    summed = [sum(weights[t, s] * v[s] for s in range(5)) for t in range(5)]
    return f"matrix product against sums written out: {difference(gap(output, summed))}"


@claim("002", "weighted-average", "For word 3 the scores multiply that word's value.")
@corrected("They multiply all of V: every word lends its value.")
def _third_value_only() -> str:
    q, k, v = draw((1, 2), (4, 2), (4, 3))
    return f"all of V: {product(q @ k.T, v)}; the third alone: {product(q @ k.T, v[2:3])}"


@claim("002", "weighted-average", "The output for one query has an entry for each key.")
@corrected("It has d_v entries; entry j sums over the keys.")
def _output_entries() -> str:
    q, k, v = draw((1, 2), (4, 2), (4, 3))
    output = q @ k.T @ v
    entries = [sum((q[0] @ k[i]) * v[i, j] for i in range(4)) for j in range(3)]
    return f"4 keys, d_v=3: shape {output.shape}; entry j as Σ_i (q·k_i) v_ij: " + difference(gap(output[0], entries))


@claim("003", "softmax", "With softmax weights the output stays as large as one input.")
@holds("An average is never longer than the longest thing averaged.")
def _softmax_bounds() -> str:
    x = 30 * np.random.default_rng(0).normal(size=(50, 8))
    output, _ = F.scaled_dot_product_attention(x, x, x)
    plain = x @ x.T @ x  # the same combination without the softmax
    ratio = np.linalg.norm(output, axis=-1).max() / np.linalg.norm(x, axis=-1).max()
    longer = np.linalg.norm(plain, axis=-1).max() / np.linalg.norm(x, axis=-1).max()
    return f"longest output / longest input: {ratio:.2f} with softmax, over 10,000 without: {longer > 1e4}"


@claim("003", "weighted-average", "Values go around the softmax.")
@holds("For fixed queries and keys the output is linear in the values.")
def _value_bypasses_softmax() -> str:
    q, k, v = qkv()
    twice, once = (F.scaled_dot_product_attention(q, k, u)[0] for u in (2 * v + 1, v))
    return f"values 2 v + 1 against 2 output + 1: {difference(gap(twice, 2 * once + 1))}"


@claim("004", "qkv", "A token's output is the weighted sum of its own value.")
@corrected("Of all tokens' values; its own is one among them.")
def _own_value() -> str:
    q, k, v = qkv()
    output, weights = F.scaled_dot_product_attention(q, k, v)
    v[4] += 1.0
    moved = F.scaled_dot_product_attention(q, k, v)[0][0, 0] - output[0, 0]
    return f"value 4 up by 1 moves output 0 by {moved:.3f}, its weight there is {weights[0, 4]:.3f}"


@claim("004", "softmax", "All weights are greater than 0.")
@depends("In exact arithmetic, without a mask. Masked weights are exactly 0, and far ones round to 0.")
def _all_positive() -> str:
    open_weights = F.softmax(np.array([2.0, 1.0, 0.0]))
    far, masked = F.softmax(np.array([800.0, 0.0])), F.softmax(np.array([1.0, -np.inf]))
    return f"scores 2, 1, 0: {open_weights.min():.2f} at least; 800, 0: {far[1]:g}; masked: {masked[1]:g}"


@claim("004", "softmax", "Softmax amplifies the margins between scores.")
@depends("As ratios, yes: exp of the gap. As differences small gaps shrink and large ones saturate.")
def _margins_amplified() -> str:
    pairs = [(gap, F.softmax(np.array([gap, 0.0]))) for gap in (0.1, 1.0, 4.0)]
    return "; ".join(f"gap {gap:g}: weights {a:.2f} and {b:.2f}, ratio {a / b:.1f}" for gap, (a, b) in pairs)
