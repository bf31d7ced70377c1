"""Activations and feed-forward layers: worked by hand, equal to PyTorch, row by row."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

ACTIVATIONS = {
    "relu": (F.relu, torch.relu),
    "gelu": (F.gelu, torch.nn.functional.gelu),
    "gelu_tanh": (F.gelu_tanh, lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
    "silu": (F.silu, torch.nn.functional.silu),
}
RTOL = {np.float32: 1e-5, np.float64: 1e-10}
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 7)


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation_equals_torch(name: str, dtype: type) -> None:
    ours, theirs = ACTIVATIONS[name]
    x = np.concatenate([np.linspace(-30, 30, 2001), [-1e4, 1e4, 0]]).astype(dtype)
    got = ours(x)
    assert got.dtype == dtype
    # On the left PyTorch's 1 + erf and 1 + tanh cancel, which costs it some units in the last place of 1.
    np.testing.assert_allclose(got, theirs(torch.from_numpy(x)).numpy(), rtol=RTOL[dtype], atol=8 * np.finfo(dtype).eps)


def test_gelu_keeps_its_digits_on_the_left() -> None:
    x = np.linspace(-12, -1, 12)
    expected = [0.5 * a * math.erfc(-a / math.sqrt(2)) for a in x]
    np.testing.assert_allclose(F.gelu(x), expected, rtol=1e-13)
    np.testing.assert_allclose(F.gelu(x.astype(np.float32)), expected, rtol=1e-6)


def layer(rng: np.random.Generator, d_model: int, d_ff: int, d_output: int) -> list[np.ndarray]:
    shapes = [(d_model, d_ff), (d_ff,), (d_ff, d_output), (d_output,)]
    return [rng.normal(size=shape) for shape in shapes]


def test_feed_forward_by_hand() -> None:
    x = np.array([[1.0, -2.0]])
    w_in, b_in = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]]), np.array([0.0, 0.0, 3.0])
    w_out, b_out = np.array([[1.0], [10.0], [100.0]]), np.array([0.5])
    # Hidden before ReLU: 1, -2, 2 - 2 + 3 = 3; after it: 1, 0, 3.
    assert F.feed_forward(x, w_in, b_in, w_out, b_out, activation=F.relu).tolist() == [[301.5]]


@given(seeds, sizes, sizes, sizes)
def test_rows_do_not_meet(seed: int, T: int, d_model: int, d_ff: int) -> None:
    rng = np.random.default_rng(seed)
    x, changed = rng.normal(size=(2, T, d_model))
    row = int(rng.integers(T))
    other = np.where(np.arange(T)[:, None] == row, changed, x)
    plain, gated = layer(rng, d_model, d_ff, 3), [rng.normal(size=s) for s in [(d_model, d_ff)] * 2 + [(d_ff, 3)]]
    for function, weights in ((F.feed_forward, plain), (F.gated_feed_forward, gated)):
        before, after = function(x, *weights), function(other, *weights)
        kept = np.arange(T) != row
        np.testing.assert_allclose(after[kept], before[kept], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(function(x[row], *weights), before[row], rtol=1e-12, atol=1e-12)
