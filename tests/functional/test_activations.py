"""Softmax and its logarithm: by hand, against PyTorch, as laws."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

RTOL = {np.float32: 1e-5, np.float64: 1e-10}
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)
exponents = st.integers(-3, 4)  # of the size of the scores: 0.001 to 10,000


def scores(seed: int, rows: int, n: int, exponent: int) -> np.ndarray:
    return 10.0**exponent * np.random.default_rng(seed).uniform(-1, 1, size=(rows, n))


@pytest.mark.filterwarnings("error")
def test_rows_of_minus_infinity() -> None:
    z = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    np.testing.assert_array_equal(F.softmax(z), [[0, 0], [1, 0]])
    np.testing.assert_array_equal(F.log_softmax(z), [[-np.inf, -np.inf], [0, -np.inf]])


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_equal_to_torch(name: str, dtype: type, axis: int) -> None:
    z = np.random.default_rng(0).normal(scale=5, size=(2, 3, 7)).astype(dtype)
    got = getattr(F, name)(z, axis=axis)
    expected = getattr(torch.nn.functional, name)(torch.from_numpy(z), dim=axis).numpy()
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=RTOL[dtype])


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_backward_equal_to_autograd(dtype: type, axis: int) -> None:
    z, d_weights = np.random.default_rng(0).normal(size=(2, 2, 3, 7)).astype(dtype)
    tensor = torch.tensor(z, requires_grad=True)
    torch.nn.functional.softmax(tensor, dim=axis).backward(torch.tensor(d_weights))
    assert tensor.grad is not None
    got = F.softmax_backward(F.softmax(z, axis=axis), d_weights, axis=axis)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, tensor.grad.numpy(), rtol=RTOL[dtype], atol=RTOL[dtype] / 10)


@given(seeds, sizes, sizes, exponents)
def test_softmax_backward_sums_to_zero_and_is_the_jacobian(seed: int, rows: int, n: int, exponent: int) -> None:
    weights, d_weights = F.softmax(scores(seed, rows, n, exponent)), scores(seed + 1, rows, n, 0)
    d_z = F.softmax_backward(weights, d_weights)
    np.testing.assert_allclose(d_z.sum(axis=-1), 0, atol=1e-14)
    jacobian = weights[:, :, None] * (np.eye(n) - weights[:, None, :])  # (rows, n, n)
    np.testing.assert_allclose(d_z, (jacobian @ d_weights[:, :, None])[..., 0], atol=1e-14)
