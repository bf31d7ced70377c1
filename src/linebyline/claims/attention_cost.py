"""Claims on what attention costs: comparisons, memory, one row at a time, and the form without queries."""

import math
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from clearformer import functional as F
from linebyline.claims.declare import claim, corrected, depends, difference, draw, gap, holds, operations, product, qkv


@claim("001", "flops", "N tokens are compared N x N times, each also with itself.")
@holds("Without a mask. A causal one needs N (N + 1) / 2 of them, and blocks can skip most of the rest.")
def _comparisons() -> str:
    _, weights = F.scaled_dot_product_attention(*qkv(12, 4))
    return f"12 tokens: {weights.size} weights, of which a causal mask lets {F.causal_mask(12).sum()} through"


@claim("001", "flops", "The computation is proportional to N².")
@depends("A layer takes 24 N d² + 4 N² d operations: linear for short texts, nearly quadratic far beyond N = 6 d.")
def _quadratic() -> str:
    def fraction(T: int, d: int = 512) -> float:
        with torch.device("meta"):
            layer = torch.nn.TransformerEncoderLayer(d, 8, 4 * d)
            q = torch.zeros(T, d)
        return operations(torch.nn.functional.scaled_dot_product_attention, q, q, q) / operations(layer, q)

    return f"share of 4 N² d, d=512: {fraction(4):.2%} at 4, {fraction(512):.0%} at 512, {fraction(3072):.0%} at 3072"


def _peak(call: Callable[[], object]) -> int:
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@claim("001", "score-memory", "Memory grows with N² as well.")
@depends("While all scores are kept. In blocks it grows with N, and the result is the same.")
def _quadratic_memory() -> str:
    ratios = []
    for attend in (F.scaled_dot_product_attention, partial(F.streaming_attention, chunk=32)):
        peaks = [_peak(partial(attend, *qkv(T, 16))) for T in (512, 1024)]
        ratios.append(peaks[1] / peaks[0])
    return f"twice the tokens: memory times {ratios[0]:.0f} all at once, times {ratios[1]:.0f} in blocks"


@claim("001", "row-form", "The division of the softmax may wait until the values have been summed.")
@holds("It is one number for each query, so it can be taken out of the sum.")
def _division_last() -> str:
    q, k, v = qkv(7, 4)
    e = np.exp(q @ k.T / math.sqrt(4))  # (T, S)
    return difference(np.abs(e @ v / e.sum(axis=-1, keepdims=True) - F.scaled_dot_product_attention(q, k, v)[0]).max())


@claim("001", "row-form", "One row at a time saves memory and may cost speed.")
@holds("A row alone reads all keys and values again. Some hundred rows together keep both advantages.")
def _rows_slower() -> str:
    with torch.device("meta"):
        q, k, v = torch.zeros(3, 1, 512, 64)

    def at_once(rows: torch.Tensor) -> int:
        return operations(torch.nn.functional.scaled_dot_product_attention, rows, k, v)

    rows = q.split(1, dim=1)
    times = sum(map(at_once, rows)) // at_once(q)
    scores = f"512 scores at a time, not {512**2:,}"
    return f"512 rows one by one: {scores}; operations x {times}, passes over K and V {len(rows)}, not 1"


@claim("001", "row-form", "The key of token i is a column of K.")
@corrected("A row of K, which is a column of its transpose.")
def _key_column() -> str:
    k = np.zeros((4, 512))  # (S, d_k)
    return f"K {k.shape}: a row has the {k[0].size} numbers of a query, a column {k[:, 0].size}"


@claim("001", "row-form", "A column q times a row k is drawn as one number.")
@corrected("Column times row is the outer product. One number comes from row times column.")
def _drawn_product() -> str:
    return f"{product(np.zeros((6, 1)), np.zeros((1, 5)))}; {product(np.zeros((1, 6)), np.zeros((6, 1)))}"


@claim("001", "attention-free", "With exp(W_ti + k_i) in place of exp(q·k), the values are averaged as before.")
@depends("Here k_i is a vector, so exp, product and division act on each feature by itself.")
def _weights_plus_keys() -> str:
    k, v, w = draw((7, 4), (7, 4), (5, 7))
    e = np.exp(k + w[..., None])  # (T, S, d)
    by_feature = (e * v).sum(axis=1) / e.sum(axis=1)  # (T, d)
    wide_open = F.attention_free(np.full((5, 4), 100.0), k, v, w)
    return f"with a product for each feature: {difference(gap(by_feature, wide_open))}"


@claim("001", "attention-free", "In that form a matrix of weights takes the place of the queries.")
@corrected("It holds one bias for each pair of positions. The query stays, as a gate on the result.")
def _weights_for_queries() -> str:
    q, k, v, w = draw((5, 4), (7, 4), (7, 4), (5, 7))
    average = [F.attention_free(x, k, v, w) * (1 + np.exp(-x)) for x in (q, -q)]
    return f"average for q and for -q: {difference(gap(average[0], average[1]))}; 35 biases for 5 x 7 pairs"
