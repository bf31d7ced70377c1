"""Claims on the weights of attention and on what they average: the values."""

from functools import partial

import numpy as np

from clearformer import functional as F
from linebyline.claims.core import Claim, difference, product

_claim = partial(Claim, topic="attention")


def _draw(T: int = 5, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, k, v = np.random.default_rng(0).normal(size=(3, T, d))
    return q, k, v


def _rows_sum_to_one() -> str:
    _, weights = F.scaled_dot_product_attention(*_draw(T=50))
    sums = weights.sum(axis=-1)
    return f"sums of 50 rows between {sums.min():.9f} and {sums.max():.9f}"


def _average() -> str:
    q, k, v = _draw(T=50)
    output, _ = F.scaled_dot_product_attention(q, k, v)
    inside = (v.min(axis=0) <= output) & (output <= v.max(axis=0))
    return f"{inside.sum()} of {inside.size} outputs between the smallest and the largest value"


def _bounded() -> str:
    x = 30 * np.random.default_rng(0).normal(size=(50, 8))
    output, _ = F.scaled_dot_product_attention(x, x, x)
    plain = x @ x.T @ x  # the same combination without the softmax
    ratio = np.linalg.norm(output, axis=-1).max() / np.linalg.norm(x, axis=-1).max()
    longer = np.linalg.norm(plain, axis=-1).max() / np.linalg.norm(x, axis=-1).max()
    return f"longest output / longest input: {ratio:.2f} with softmax, over 10,000 without: {longer > 1e4}"


def _positive() -> str:
    open_weights = F.softmax(np.array([2.0, 1.0, 0.0]))
    far, masked = F.softmax(np.array([800.0, 0.0])), F.softmax(np.array([1.0, -np.inf]))
    return f"scores 2, 1, 0: {open_weights.min():.2f} at least; 800, 0: {far[1]:g}; masked: {masked[1]:g}"


def _margins() -> str:
    pairs = [(gap, F.softmax(np.array([gap, 0.0]))) for gap in (0.1, 1.0, 4.0)]
    return "; ".join(f"gap {gap:g}: weights {a:.2f} and {b:.2f}, ratio {a / b:.1f}" for gap, (a, b) in pairs)


def _matmul_sums() -> str:
    q, k, v = _draw()
    output, weights = F.scaled_dot_product_attention(q, k, v)
    summed = [sum(weights[t, s] * v[s] for s in range(5)) for t in range(5)]
    return f"matrix product against sums written out: {difference(np.abs(output - summed).max())}"


def _linear_in_values() -> str:
    q, k, v = _draw()
    twice, once = (F.scaled_dot_product_attention(q, k, u)[0] for u in (2 * v + 1, v))
    return f"values 2 v + 1 against 2 output + 1: {difference(np.abs(twice - (2 * once + 1)).max())}"


def _own_value() -> str:
    q, k, v = _draw()
    output, weights = F.scaled_dot_product_attention(q, k, v)
    v[4] += 1.0
    moved = F.scaled_dot_product_attention(q, k, v)[0][0, 0] - output[0, 0]
    return f"value 4 up by 1 moves output 0 by {moved:.3f}, its weight there is {weights[0, 4]:.3f}"


def _one_query() -> str:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(1, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
    output = q @ k.T @ v
    entries = [sum((q[0] @ k[i]) * v[i, j] for i in range(4)) for j in range(3)]
    return f"4 keys, d_v=3: shape {output.shape}; entry j as Σ_i (q·k_i) v_ij: " + (
        difference(np.abs(output[0] - entries).max())
    )


def _third_value_only() -> str:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(1, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 3))
    return f"all of V: {product(q @ k.T, v)}; the third alone: {product(q @ k.T, v[2:3])}"


def _output_is_scores() -> str:
    x = np.random.default_rng(0).normal(size=(4, 512))
    output, weights = F.scaled_dot_product_attention(x, x, x)
    return f"weights {weights.shape}, after the product with V {output.shape}"


CLAIMS = (
    _claim(
        id="000.rows-sum-to-one",
        document="000",
        section="sec-softmax",
        statement="For each query the weights sum to one.",
        verdict="holds",
        finding="Up to rounding, as long as the query may see anything at all.",
        measure=_rows_sum_to_one,
    ),
    _claim(
        id="000.weighted-average",
        document="000",
        section="sec-weighted-average",
        statement="The output is a weighted average of the values.",
        verdict="holds",
        finding="No coordinate of an output leaves the range of the values.",
        measure=_average,
    ),
    _claim(
        id="001.output-is-scores",
        document="001",
        section="sec-qkv",
        statement="The product with V gives attention scores.",
        verdict="corrected",
        finding="Scores come before the softmax. The product with V gives one output vector for each token.",
        measure=_output_is_scores,
    ),
    _claim(
        id="002.matmul-sums",
        document="002",
        section="sec-weighted-average",
        statement="The matrix product with V is the weighted sum, although no Σ is written.",
        verdict="holds",
        finding="The sum is inside the product.",
        measure=_matmul_sums,
    ),
    _claim(
        id="002.third-value-only",
        document="002",
        section="sec-weighted-average",
        statement="For word 3 the scores multiply that word's value.",
        verdict="corrected",
        finding="They multiply all of V: every word lends its value.",
        measure=_third_value_only,
    ),
    _claim(
        id="002.output-entries",
        document="002",
        section="sec-weighted-average",
        statement="The output for one query has an entry for each key.",
        verdict="corrected",
        finding="It has d_v entries; entry j sums over the keys.",
        measure=_one_query,
    ),
    _claim(
        id="003.softmax-bounds",
        document="003",
        section="sec-softmax",
        statement="With softmax weights the output stays as large as one input.",
        verdict="holds",
        finding="An average is never longer than the longest thing averaged.",
        measure=_bounded,
    ),
    _claim(
        id="003.value-bypasses-softmax",
        document="003",
        section="sec-weighted-average",
        statement="Values go around the softmax.",
        verdict="holds",
        finding="For fixed queries and keys the output is linear in the values.",
        measure=_linear_in_values,
    ),
    _claim(
        id="004.own-value",
        document="004",
        section="sec-qkv",
        statement="A token's output is the weighted sum of its own value.",
        verdict="corrected",
        finding="Of all tokens' values; its own is one among them.",
        measure=_own_value,
    ),
    _claim(
        id="004.all-positive",
        document="004",
        section="sec-softmax",
        statement="All weights are greater than 0.",
        verdict="depends",
        finding="In exact arithmetic, without a mask. Masked weights are exactly 0, and far ones round to 0.",
        measure=_positive,
    ),
    _claim(
        id="004.margins-amplified",
        document="004",
        section="sec-softmax",
        statement="Softmax amplifies the margins between scores.",
        verdict="depends",
        finding="As ratios, yes: exp of the gap. As differences small gaps shrink and large ones saturate.",
        measure=_margins,
    ),
)
