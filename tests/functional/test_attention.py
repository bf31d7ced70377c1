"""Attention, forwards and backwards, with and without a position bias: by hand, against PyTorch, as laws."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

RTOL = {np.float32: 1e-5, np.float64: 1e-10}
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 5)

MASKS = {
    "none": None,
    "causal": F.causal_mask(5, 7),
    "padding": F.padding_mask(np.array([[7], [2]]), 7),
    "random": np.random.default_rng(1).random((2, 3, 5, 7)) < 0.5,
    "nothing": np.zeros((5, 7), dtype=bool),
}
BIASES = [None, (), (5, 7), (3, 5, 7), (3, 1, 7), (5, 1), (2, 1, 5, 7), (1, 1, 1, 1), (2, 3, 5, 7)]
MASKS["some rows nothing"] = MASKS["random"] & (np.arange(5) % 2 == 0)[:, None]


def draw(seed: int = 0, batch=(2, 3), T: int = 5, S: int = 7, d_k: int = 2, d_v: int = 11, dtype=np.float64):
    rng = np.random.default_rng(seed)
    shapes = (*batch, T, d_k), (*batch, S, d_k), (*batch, S, d_v)
    return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)


def draw_d_output(seed: int = 0, dtype=np.float64) -> np.ndarray:
    return np.random.default_rng([seed, 2]).normal(size=(2, 3, 5, 11)).astype(dtype)


def draw_mask(seed: int, T: int, S: int) -> np.ndarray:
    return np.random.default_rng([seed, 1]).random((T, S)) < 0.6


def test_masked_by_hand() -> None:
    q, k, v = np.zeros((2, 1)), np.ones((3, 1)), np.array([[3.0], [5.0], [100.0]])
    mask = np.array([[True, True, False], [False, True, False]])
    output, weights = F.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_array_equal(weights, [[0.5, 0.5, 0], [0, 1, 0]])
    np.testing.assert_array_equal(output, [[4], [5]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("shape", BIASES, ids=str)
def test_equal_to_torch_with_every_gradient(shape: tuple[int, ...] | None, mask, dtype: type) -> None:
    arrays, d_output, bias = [*draw(dtype=dtype)], draw_d_output(dtype=dtype), None
    if shape is not None:
        arrays.append(bias := np.random.default_rng(1).normal(size=shape).astype(dtype))
    tensors = [torch.tensor(array, requires_grad=True) for array in arrays]
    attn_mask = None if mask is None else torch.tensor(mask)
    if bias is not None:
        attn_mask = tensors[3].expand(2, 3, 5, 7).masked_fill(~torch.tensor(True if mask is None else mask), -torch.inf)
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors[:3], attn_mask=attn_mask)
    expected.backward(torch.tensor(d_output))

    bound = {"rtol": 1e-5, "atol": 1e-5} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-12}
    output, weights = F.scaled_dot_product_attention(*arrays[:3], mask, position_bias=bias)
    assert output.dtype == weights.dtype == dtype
    np.testing.assert_allclose(output, expected.detach().numpy(), **bound)
    got = F.scaled_dot_product_attention_backward(d_output, *arrays[:3], mask, position_bias=bias)
    for mine, tensor in zip(got, tensors, strict=True):
        assert (mine.dtype, mine.shape) == (dtype, tuple(tensor.shape))
        np.testing.assert_allclose(mine, tensor.grad.numpy(), **bound)


@pytest.mark.parametrize("mask", [None, F.causal_mask(5, 7)], ids=["none", "causal"])
def test_additive_equal_to_torch(mask: np.ndarray | None) -> None:
    q, k, v = draw()
    rng = np.random.default_rng(3)
    k = rng.normal(size=(2, 3, 7, 3))  # d_k need not be d_q
    w_q, w_k, w_score = rng.normal(size=(2, 13)), rng.normal(size=(3, 13)), rng.normal(size=13)
    output, weights = F.additive_attention(q, k, v, w_q, w_k, w_score, mask)

    projected_q, projected_k = (
        torch.nn.functional.linear(torch.tensor(x), torch.tensor(w.T)) for x, w in ((q, w_q), (k, w_k))
    )
    scores = torch.tanh(projected_q.unsqueeze(-2) + projected_k.unsqueeze(-3)) @ torch.tensor(w_score)
    if mask is not None:
        scores = scores.masked_fill(~torch.tensor(mask), -torch.inf)
    expected = torch.nn.functional.softmax(scores, dim=-1)
    np.testing.assert_allclose(weights, expected.numpy(), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(output, (expected @ torch.tensor(v)).numpy(), rtol=1e-10, atol=1e-13)


@given(seeds, sizes, sizes, st.sampled_from([np.nan, np.inf, -np.inf]))
def test_what_is_masked_leaves_no_trace(seed: int, T: int, S: int, broken: float) -> None:
    """Break a key, a value and a query; who may not see them keeps output and gradients to the last bit."""
    rng = np.random.default_rng(seed)
    (q, k, v), mask = draw(seed, (), T, S, 3, 2), draw_mask(seed, T, S)
    d_output = rng.normal(size=(T, 2))
    bad_s, bad_t = rng.integers(S), rng.integers(T)
    broken_arrays = [array.copy() for array in (q, k, v)]
    for array, place in zip(broken_arrays, (bad_t, bad_s, bad_s), strict=True):
        array[place, rng.integers(array.shape[-1])] = broken
    mask[bad_t, bad_s] = False

    blind = ~mask[:, bad_s] & (np.arange(T) != bad_t)  # queries that are whole and see only whole keys
    clean, _ = F.scaled_dot_product_attention(q, k, v, mask)
    with np.errstate(invalid="ignore"):
        dirty, weights = F.scaled_dot_product_attention(*broken_arrays, mask)
        gradients = F.scaled_dot_product_attention_backward(d_output, *broken_arrays, mask)
    np.testing.assert_allclose(dirty[blind], clean[blind], rtol=1e-12, atol=1e-14)
    assert (weights[blind, bad_s] == 0).all()

    d_q, d_k, d_v = F.scaled_dot_product_attention_backward(d_output, q, k, v, mask)
    np.testing.assert_allclose(gradients[0][blind], d_q[blind], rtol=1e-12, atol=1e-14)
    unseen = ~mask[~blind].any(axis=0)  # keys that only whole queries see
    np.testing.assert_allclose(gradients[1][unseen], d_k[unseen], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(gradients[2][unseen], d_v[unseen], rtol=1e-12, atol=1e-14)


@pytest.mark.filterwarnings("error")
def test_large_scores_stay_finite() -> None:
    q, k, v = draw()
    output, weights = F.scaled_dot_product_attention(1e4 * q, k, v, F.causal_mask(5, 7))
    assert np.isfinite(output).all()
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


@given(seeds, sizes, sizes)
def test_a_cache_of_past_keys_gives_the_masked_rows(seed: int, past: int, T: int) -> None:
    q, k, v = draw(seed, (), past + T, past + T)
    whole, _ = F.scaled_dot_product_attention(q, k, v, F.causal_mask(past + T))
    new, _ = F.scaled_dot_product_attention(q[past:], k, v, F.causal_mask(T, past + T))
    np.testing.assert_allclose(new, whole[past:], rtol=1e-10, atol=1e-12)


@given(seeds, sizes)
def test_what_is_hidden_gives_and_takes_nothing(seed: int, rows: int) -> None:
    """Not even where the bias of a hidden pair is broken: it gets no gradient, and a blind row none at all."""
    qkv = draw(seed)
    d_output = draw_d_output(seed)
    rng = np.random.default_rng([seed, 1])
    mask = (rng.random((5, 7)) < 0.5) & (np.arange(5) < rows)[:, None]
    bias = np.where(mask, rng.normal(size=(3, 5, 7)), rng.choice([np.nan, np.inf, -np.inf]))
    bias.flags.writeable = False
    output, weights = F.scaled_dot_product_attention(*qkv, mask, position_bias=bias)
    np.testing.assert_allclose(weights.sum(-1), np.broadcast_to(mask.any(-1), (2, 3, 5)), rtol=1e-12)
    assert (output[..., ~mask.any(-1), :] == 0).all()
    gradients = F.scaled_dot_product_attention_backward(d_output, *qkv, mask, position_bias=bias)
    assert all(np.isfinite(gradient).all() for gradient in gradients)
    d_q, d_k, d_v, d_bias = gradients
    assert (d_bias[:, ~mask] == 0).all()
    assert (d_q[..., ~mask.any(-1), :] == 0).all()
    assert (d_k[..., ~mask.any(0), :] == 0).all()
    assert (d_v[..., ~mask.any(0), :] == 0).all()
