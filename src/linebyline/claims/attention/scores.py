"""Claims on the scores of attention: the dot product of a query and a key, and its scale."""

import math

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, holds, product


def _dot_products(d_k: int, sigma: float = 1.0, pairs: int = 50_000) -> np.ndarray:
    rng = np.random.default_rng(0)
    q, k = sigma * rng.normal(size=(2, pairs, d_k))  # (pairs, d_k)
    scores: np.ndarray = (q * k).sum(axis=-1)  # (pairs,)
    return scores


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / math.sqrt((a @ a) * (b @ b)))


@claim("000.scale-cancels-width", "sec-scaling", "Dividing by √d takes the growth with d out of the score's variance.")
@holds("The variance of the scaled score is the same at every width.")
def _scale_cancels_width() -> str:
    drawn = ((d, _dot_products(d, pairs=20_000)) for d in (4, 64, 256))
    return "; ".join(f"d={d}: {s.var():.0f} before, {(s / math.sqrt(d)).var():.1f} after" for d, s in drawn)


@claim("000.score-variance", "sec-scaling", "Components of variance σ² give a score of variance d σ².")
@corrected("It is d σ⁴: each term is a product of two components. They must be independent, too.")
def _fourth_power() -> str:
    ratios = (_dot_products(64, sigma).var() / (64 * sigma**2) for sigma in (0.5, 1.0, 2.0))
    return "variance / (d σ²) at σ = 0.5, 1, 2: " + ", ".join(f"{ratio:.2f}" for ratio in ratios)


@claim(
    "000.softmax-index", "sec-softmax", "The weights in index form, with t′ both as the column and as the summed index."
)
@corrected("The sum in the denominator needs an index of its own; then the form is right.")
def _one_index_too_few() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 5, 3))
    scores = np.exp(np.einsum("ta,sa->ts", q, k) / math.sqrt(3))
    index_form = np.einsum("ts,t->ts", scores, 1 / np.einsum("tu->t", scores))
    _, weights = F.scaled_dot_product_attention(q, k, k)
    return f"einsum with the sum over its own index u: {difference(np.abs(index_form - weights).max())}"


@claim("001.scale-by-embedding", "sec-scaling", "The scores are divided by the root of the embedding width, 512.")
@depends("By the root of d_k, the width of a head: the same thing only with a single head.")
def _which_root() -> str:
    widths = (512 // n_heads for n_heads in (1, 4, 8))
    return "512 in 1, 4, 8 heads: " + ", ".join(f"√{d_k} = {math.sqrt(d_k):.3f}" for d_k in widths)


@claim("001.dot-product-distance", "sec-cosine", "A dot product says how far apart two embeddings lie.")
@corrected("It grows with alignment and with length: the farther of two keys can score higher.")
def _distance() -> str:
    q = np.array([1.0, 0.0])
    parts = []
    for k in (np.array([1.0, 0.0]), np.array([10.0, 10.0])):
        text = f"k=({k[0]:.0f}, {k[1]:.0f}): score {q @ k:.0f}, distance {math.dist(q, k):.1f}"
        parts.append(f"{text}, cosine {_cosine(q, k):.3f}")
    return "; ".join(parts)


@claim("001.square-scores", "sec-sentence", "Queries times transposed keys is a square matrix.")
@depends("It is T x S: square in self-attention, not when keys come from another sequence.")
def _square() -> str:
    shapes = (np.zeros((T, 2)) @ np.zeros((S, 2)).T for T, S in ((4, 4), (3, 5)))
    return "4 queries, 4 keys: {}; 3 queries, 5 keys: {}".format(*(scores.shape for scores in shapes))


@claim("001.quadratic-comparisons", "sec-sentence", "N tokens make N² comparisons.")
@holds("One weight for each pair; a token also meets itself.")
def _quadratic() -> str:
    rng = np.random.default_rng(0)
    counts = ((N, rng.normal(size=(N, 2))) for N in (4, 8, 16))
    return ", ".join(f"N={N}: {F.scaled_dot_product_attention(x, x, x)[1].size} weights" for N, x in counts)


@claim("001.softmax-of-three", "sec-qkv", "A head is the softmax of (Q, K, V), over √d_k, times V.")
@corrected("The softmax takes the scores Q Kᵀ / √d_k only; V comes in after it.")
def _head_scores() -> str:
    q, k, v = np.random.default_rng(0).normal(size=(3, 4, 128))
    _, weights = F.scaled_dot_product_attention(q, k, v)
    return f"{product(q, k.T)}; after the softmax {product(weights, v)}"


@claim("001.column-of-keys", "sec-qkv", "Key k_i is a column of K, and the score is drawn as a column times a row.")
@corrected("Key k_i is a row of K. Column times row is a whole matrix; a score is row times column.")
def _row_not_column() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 512, 1))
    return f"column times row: {(q @ k.T).shape}; row times column: {(q.T @ k).shape}"


@claim("001.queries-encode-context", "sec-qkv", "Query and key vectors carry context from the entire sequence.")
@depends("Not in the first layer: there they see their own token (and position) only.")
def _first_layer_context() -> str:
    rng = np.random.default_rng(0)
    x, w_q, w_k = rng.normal(size=(4, 8)), rng.normal(size=(8, 8)), rng.normal(size=(8, 8))
    other = np.concatenate([x[:1], rng.normal(size=(3, 8))])  # the same first token in other company
    change = max(np.abs((x @ w - other @ w)[0]).max() for w in (w_q, w_k))
    mixed = [F.scaled_dot_product_attention(y @ w_q, y @ w_k, y)[0][0] for y in (x, other)]
    moved = "moves" if np.abs(mixed[0] - mixed[1]).max() > 0.01 else "does not move"
    return f"other neighbours: q, k of token 0 {difference(change)}; its attention output {moved}"


@claim("002.cosine", "sec-cosine", "Q Kᵀ measures cosine similarity.")
@corrected("A cosine is divided by both lengths. A score is not: a longer key scores more.")
def _cosine_similarity() -> str:
    q, k = np.random.default_rng(0).normal(size=(2, 8))
    return f"a key 10 times as long: score times {q @ (10 * k) / (q @ k):.1f}, cosine times " + (
        f"{_cosine(q, 10 * k) / _cosine(q, k):.1f}"
    )


@claim("002.same-width", "sec-qkv", "Queries and keys have to be equally wide.")
@holds("The dot product needs it. Values may have a width of their own.")
def _same_width() -> str:
    q, k, wide = np.zeros((3, 2)), np.zeros((5, 2)), np.zeros((5, 4))
    return f"{product(q, k.T)}; {product(q, wide.T)}; as values {product(q @ k.T, wide)}"


@claim("002.projection-transposed", "sec-qkv", "In matrix form the queries are X times the transpose of W_Q.")
@corrected("With tokens as rows and W_Q as drawn it is X W_Q, without a transpose.")
def _projection() -> str:
    x, w = np.zeros((4, 6)), np.zeros((6, 2))
    return f"{product(x, w)}; {product(x, w.T)}"


@claim("002.best-key", "sec-sentence", "For l'Afrique the key of visite scores at least as high as the key of Jane.")
@depends("On training. Nothing in the formula prefers one word before the weights are learned.")
def _best_answer() -> str:
    q, visite, jane = np.random.default_rng(0).normal(size=(3, 10_000, 8))
    share = ((q * visite).sum(axis=-1) >= (q * jane).sum(axis=-1)).mean()
    return f"true of {share:.2f} of 10,000 untrained draws"


@claim("003.query-times-value", "sec-qkv", "The score multiplies the query with the value vector.")
@corrected("With the key, as that document's own formula has it; values do not touch the weights.")
def _key_not_value() -> str:
    rng = np.random.default_rng(0)
    q, k, v, other = rng.normal(size=(4, 5, 3))
    _, weights = F.scaled_dot_product_attention(q, k, v)
    by_value = np.abs(F.scaled_dot_product_attention(q, k, other)[1] - weights).max()
    by_key = np.abs(F.scaled_dot_product_attention(q, other, v)[1] - weights).max()
    return f"new values move the weights by {by_value:.1f}, new keys by {by_key:.1f}"


@claim("004.score-normal", "sec-scaling", "With standard normal components the score is normal with variance d_K.")
@corrected("Mean 0 and variance d_K are right. It is not normal: excess kurtosis 6 / d_K.")
def _not_normal() -> str:
    def excess_kurtosis(d: int) -> float:
        s = _dot_products(d, pairs=400_000)
        return float((s**4).mean() / (s**2).mean() ** 2 - 3)

    return "excess kurtosis " + ", ".join(f"{excess_kurtosis(d):.1f} at d={d}" for d in (2, 4, 16))
