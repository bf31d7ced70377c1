"""Claims on the weights of attention and on what they average: the values."""

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, holds, product


def _draw(T: int = 5, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, k, v = np.random.default_rng(0).normal(size=(3, T, d))
    return q, k, v


@claim("000.rows-sum-to-one", "sec-softmax", "For each query the weights sum to one.")
@holds("Up to rounding, as long as the query may see anything at all.")
def _rows_sum_to_one() -> str:
    _, weights = F.scaled_dot_product_attention(*_draw(T=50))
    sums = weights.sum(axis=-1)
    return f"sums of 50 rows between {sums.min():.9f} and {sums.max():.9f}"


@claim("000.weighted-average", "sec-weighted-average", "The output is a weighted average of the values.")
@holds("No coordinate of an output leaves the range of the values.")
def _average() -> str:
    q, k, v = _draw(T=50)
    output, _ = F.scaled_dot_product_attention(q, k, v)
    inside = (v.min(axis=0) <= output) & (output <= v.max(axis=0))
    return f"{inside.sum()} of {inside.size} outputs between the smallest and the largest value"


@claim("001.output-is-scores", "sec-qkv", "The product with V gives attention scores.")
@corrected("Scores come before the softmax. The product with V gives one output vector for each token.")
def _output_is_scores() -> str:
    x = np.random.default_rng(0).normal(size=(4, 512))
    output, weights = F.scaled_dot_product_attention(x, x, x)
    return f"weights {weights.shape}, after the product with V {output.shape}"


@claim(
    "002.matmul-sums",
    "sec-weighted-average",
    "The matrix product with V is the weighted sum, although no Σ is written.",
)
@holds("The sum is inside the product.")
def _matmul_sums() -> str:
    q, k, v = _draw()
    output, weights = F.scaled_dot_product_attention(q, k, v)
    summed = [sum(weights[t, s] * v[s] for s in range(5)) for t in range(5)]
    return f"matrix product against sums written out: {difference(np.abs(output - summed).max())}"


@claim("002.third-value-only", "sec-weighted-average", "For word 3 the scores multiply that word's value.")
@corrected("They multiply all of V: every word lends its value.")
def _third_value_only() -> str:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(1, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
    return f"all of V: {product(q @ k.T, v)}; the third alone: {product(q @ k.T, v[2:3])}"


@claim("002.output-entries", "sec-weighted-average", "The output for one query has an entry for each key.")
@corrected("It has d_v entries; entry j sums over the keys.")
def _one_query() -> str:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(1, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
    output = q @ k.T @ v
    entries = [sum((q[0] @ k[i]) * v[i, j] for i in range(4)) for j in range(3)]
    return f"4 keys, d_v=3: shape {output.shape}; entry j as Σ_i (q·k_i) v_ij: " + (
        difference(np.abs(output[0] - entries).max())
    )


@claim("003.softmax-bounds", "sec-softmax", "With softmax weights the output stays as large as one input.")
@holds("An average is never longer than the longest thing averaged.")
def _bounded() -> str:
    x = 30 * np.random.default_rng(0).normal(size=(50, 8))
    output, _ = F.scaled_dot_product_attention(x, x, x)
    plain = x @ x.T @ x  # the same combination without the softmax
    ratio = np.linalg.norm(output, axis=-1).max() / np.linalg.norm(x, axis=-1).max()
    longer = np.linalg.norm(plain, axis=-1).max() / np.linalg.norm(x, axis=-1).max()
    return f"longest output / longest input: {ratio:.2f} with softmax, over 10,000 without: {longer > 1e4}"


@claim("003.value-bypasses-softmax", "sec-weighted-average", "Values go around the softmax.")
@holds("For fixed queries and keys the output is linear in the values.")
def _linear_in_values() -> str:
    q, k, v = _draw()
    twice, once = (F.scaled_dot_product_attention(q, k, u)[0] for u in (2 * v + 1, v))
    return f"values 2 v + 1 against 2 output + 1: {difference(np.abs(twice - (2 * once + 1)).max())}"


@claim("004.own-value", "sec-qkv", "A token's output is the weighted sum of its own value.")
@corrected("Of all tokens' values; its own is one among them.")
def _own_value() -> str:
    q, k, v = _draw()
    output, weights = F.scaled_dot_product_attention(q, k, v)
    v[4] += 1.0
    moved = F.scaled_dot_product_attention(q, k, v)[0][0, 0] - output[0, 0]
    return f"value 4 up by 1 moves output 0 by {moved:.3f}, its weight there is {weights[0, 4]:.3f}"


@claim("004.all-positive", "sec-softmax", "All weights are greater than 0.")
@depends("In exact arithmetic, without a mask. Masked weights are exactly 0, and far ones round to 0.")
def _positive() -> str:
    open_weights = F.softmax(np.array([2.0, 1.0, 0.0]))
    far, masked = F.softmax(np.array([800.0, 0.0])), F.softmax(np.array([1.0, -np.inf]))
    return f"scores 2, 1, 0: {open_weights.min():.2f} at least; 800, 0: {far[1]:g}; masked: {masked[1]:g}"


@claim("004.margins-amplified", "sec-softmax", "Softmax amplifies the margins between scores.")
@depends("As ratios, yes: exp of the gap. As differences small gaps shrink and large ones saturate.")
def _margins() -> str:
    pairs = [(gap, F.softmax(np.array([gap, 0.0]))) for gap in (0.1, 1.0, 4.0)]
    return "; ".join(f"gap {gap:g}: weights {a:.2f} and {b:.2f}, ratio {a / b:.1f}" for gap, (a, b) in pairs)
