"""Attention with a position bias: by hand, against PyTorch with every gradient, as laws."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 5)
BATCH, N_HEADS, T, S, D_K, D_V = 2, 3, 5, 7, 4, 6
SHAPES = [(T, S), (N_HEADS, T, S), (N_HEADS, 1, S), (T, 1), (BATCH, 1, T, S), (1, 1, 1, 1), (BATCH, N_HEADS, T, S), ()]
MASKS = {
    "none": None,
    "causal": F.causal_mask(T, S),
    "padding": F.padding_mask(np.array([[S], [3]]), S),
    "some rows nothing": F.causal_mask(T, S) & (np.arange(T) % 2 == 0)[:, None],
}


def draw(seed: int = 0, dtype: type = np.float64) -> list[np.ndarray]:
    """Draw the gradient of the output, queries, keys and values."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(BATCH, N_HEADS, *rows)).astype(dtype) for rows in ((T, D_V), (T, D_K), (S, D_K), (S, D_V))]


def test_bias_by_hand() -> None:
    """Scores 0 and 0, to which log 3 is added for the second key: weights 1/4 and 3/4."""
    q, k, v = np.zeros((1, 2)), np.eye(2), np.array([[4.0], [8.0]])
    output, weights = F.scaled_dot_product_attention(q, k, v, position_bias=np.array([[0.0, np.log(3.0)]]))
    np.testing.assert_allclose(weights, [[0.25, 0.75]], rtol=1e-14)
    np.testing.assert_allclose(output, [[7.0]], rtol=1e-14)


def test_gradient_of_a_shared_bias_by_hand() -> None:
    """Two queries share a bias; each weighs its two keys alike and moves 1/4 from one to the other."""
    q, k, v = np.zeros((2, 2)), np.eye(2), np.array([[1.0], [0.0]])
    *_, d_bias = F.scaled_dot_product_attention_backward(np.ones((2, 1)), q, k, v, position_bias=np.zeros((1, 2)))
    np.testing.assert_allclose(d_bias, [[0.5, -0.5]], rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equal_to_torch_with_every_gradient(shape: tuple[int, ...], mask: np.ndarray | None, dtype: type) -> None:
    d_output, *qkv = draw(dtype=dtype)
    bias = np.random.default_rng(1).normal(size=shape).astype(dtype)
    tensors = [torch.tensor(array, requires_grad=True) for array in (*qkv, bias)]
    scores = tensors[0] @ tensors[1].mT / D_K**0.5 + tensors[3]
    seen = torch.tensor(True if mask is None else mask)
    # A blind row is softmax of nothing: PyTorch would say nan, so it sees all there, and then nothing is kept.
    weights = scores.masked_fill(~(seen | ~seen.any(-1, keepdim=True)), -torch.inf).softmax(-1) * seen.any(-1, True)
    expected = weights @ tensors[2]
    expected.backward(torch.tensor(d_output))

    bound = {"rtol": 1e-5, "atol": 1e-5} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-12}
    output, _ = F.scaled_dot_product_attention(*qkv, mask, position_bias=bias)
    np.testing.assert_allclose(output, expected.detach().numpy(), **bound)
    got = F.scaled_dot_product_attention_backward(d_output, *qkv, mask, position_bias=bias)
    for mine, tensor in zip(got, tensors, strict=True):
        assert mine.dtype == dtype
        assert mine.shape == tuple(tensor.shape)
        np.testing.assert_allclose(mine, tensor.grad.numpy(), **bound)


@given(seeds, sizes)
def test_what_is_hidden_gives_and_takes_nothing(seed: int, rows: int) -> None:
    """Not even where the bias of a hidden pair is broken: it gets no gradient, and a blind row none at all."""
    d_output, *qkv = draw(seed)
    rng = np.random.default_rng([seed, 1])
    mask = (rng.random((T, S)) < 0.5) & (np.arange(T) < rows)[:, None]
    bias = np.where(mask, rng.normal(size=(N_HEADS, T, S)), rng.choice([np.nan, np.inf, -np.inf]))
    bias.flags.writeable = False
    output, weights = F.scaled_dot_product_attention(*qkv, mask, position_bias=bias)
    np.testing.assert_allclose(weights.sum(-1), np.broadcast_to(mask.any(-1), (BATCH, N_HEADS, T)), rtol=1e-12)
    assert (output[..., ~mask.any(-1), :] == 0).all()
    gradients = F.scaled_dot_product_attention_backward(d_output, *qkv, mask, position_bias=bias)
    assert all(np.isfinite(gradient).all() for gradient in gradients)
    d_q, d_k, d_v, d_bias = gradients
    assert (d_bias[:, ~mask] == 0).all()
    assert (d_q[..., ~mask.any(-1), :] == 0).all()
    assert (d_k[..., ~mask.any(0), :] == 0).all()
    assert (d_v[..., ~mask.any(0), :] == 0).all()
