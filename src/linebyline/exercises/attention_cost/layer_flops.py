"""attention_cost.layer_flops: at which length half of a layer's operations are in pairs, with shared keys."""

from math import prod

import numpy as np

from linebyline.exercises.core import Predict, Rng

D_MODEL, D_K = 512, 64


def _half(rng: Rng) -> float:
    """Count the operations of all products at two lengths, and solve for equality."""
    N = rng.integers(100, 10_000, size=2)  # any two will do: one count is linear in N, the other quadratic
    projections = [(D_MODEL, D_MODEL)] * 2 + [(D_MODEL, D_K)] * 2  # queries and output, keys and values
    feed_forward = [(D_MODEL, 4 * D_MODEL), (4 * D_MODEL, D_MODEL)]
    weights = sum(2 * N * prod(shape) for shape in projections + feed_forward)
    pairs = 2 * (2 * N * N * D_MODEL)  # scores, and sums of values, of eight heads of width 64
    return float(np.mean(weights / pairs * N))


EXERCISE = Predict(
    id="attention_cost.layer_flops",
    title="Half of the work, with shared keys",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a pocket calculator",
    asks=("tokens",),
    compute=_half,
    within=0.01,
    wrong_answers={
        "This is so where each head has keys and values of its own; here their two matrices are smaller.": 3072,
        "One head of keys and values is little, but not nothing: two matrices are left.": 2560,
        "Two products are between tokens: the scores, and the sums of the values.": 5248,
        "Eight heads of width 64 do as many operations as one of width 512: heads share the width.": 328,
        "Sharing saves no work between tokens: each query head still meets every key.": 20992,
    },
)
