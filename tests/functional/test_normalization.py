"""Normalization, forwards and backwards: against PyTorch, as laws."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

RTOL = {np.float32: 1e-5, np.float64: 1e-10}
seeds = st.integers(0, 2**32 - 1)
batches = st.lists(st.integers(1, 4), min_size=0, max_size=3).map(tuple)


def draw(seed: int, *shape: int, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype)


def tensors(*arrays: np.ndarray) -> list[torch.Tensor]:
    return [torch.tensor(array, requires_grad=True) for array in arrays]


def relative_error(got: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(got - expected).max() / max(np.abs(expected).max(), 1e-300))


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("shape", [(7,), (5, 7), (2, 3, 5, 7), (3, 512)])
def test_layer_and_rms_norm_equal_to_torch(shape: tuple[int, ...], dtype: type) -> None:
    x, gamma, beta = (draw(n, *s, dtype=dtype) for n, s in enumerate((shape, shape[-1:], shape[-1:])))
    tx, tg, tb = map(torch.tensor, (x, gamma, beta))
    layer, rms = F.layer_norm(x, gamma, beta), F.rms_norm(x, gamma)
    assert layer.dtype == rms.dtype == dtype
    expected = torch.nn.functional.layer_norm(tx, tg.shape, tg, tb)
    np.testing.assert_allclose(layer, expected.numpy(), rtol=RTOL[dtype], atol=RTOL[dtype] / 10)
    expected = torch.nn.functional.rms_norm(tx, tg.shape, tg, 1e-5)
    np.testing.assert_allclose(rms, expected.numpy(), rtol=RTOL[dtype], atol=RTOL[dtype] / 10)


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("shape", [(2, 7), (5, 7), (3, 5, 7)])
def test_batch_norm_equal_to_torch(shape: tuple[int, ...], dtype: type) -> None:
    x, close = draw(0, *shape, dtype=dtype), {"rtol": RTOL[dtype], "atol": RTOL[dtype] / 10}
    gamma, beta, mean = draw(1, 3, 7, dtype=dtype)
    var = draw(2, 7, dtype=dtype) ** 2
    rows, gain, bias, running_mean, running_var = (
        torch.tensor(array) for array in (x.reshape(-1, 7), gamma, beta, mean, var)
    )
    expected = torch.nn.functional.batch_norm(rows, running_mean, running_var, gain, bias, training=False)
    np.testing.assert_allclose(F.batch_norm(x, gamma, beta, mean, var), expected.numpy().reshape(shape), **close)

    output, new_mean, new_var = F.batch_norm_training(x, gamma, beta, mean, var, momentum=0.3)
    expected = torch.nn.functional.batch_norm(rows, running_mean, running_var, gain, bias, training=True, momentum=0.3)
    np.testing.assert_allclose(output, expected.numpy().reshape(shape), **close)
    np.testing.assert_allclose(new_mean, running_mean.numpy(), **close)  # PyTorch updates its arguments
    np.testing.assert_allclose(new_var, running_var.numpy(), **close)
    assert output.dtype == new_mean.dtype == new_var.dtype == dtype


@given(seeds, batches, st.integers(3, 17), st.sampled_from([1e-8, 1e-5, 1e-2, 1.0]), st.sampled_from([0.1, 1.0, 30.0]))
def test_backward_equal_to_autograd(seed: int, batch: tuple[int, ...], d: int, eps: float, scale: float) -> None:
    x, gamma, beta = scale * draw(seed, *batch, d), draw(seed + 1, d), draw(seed + 2, d)
    d_output = draw(seed + 3, *batch, d)
    inputs = tensors(x, gamma, beta)
    torch.nn.functional.layer_norm(inputs[0], (d,), *inputs[1:], eps).backward(torch.tensor(d_output))
    for got, tensor in zip(F.layer_norm_backward(d_output, x, gamma, eps), inputs, strict=True):
        assert relative_error(got, tensor.grad.numpy()) <= 1e-12
