"""Several heads: by hand, against PyTorch, as laws; against its module in `tests/nn`."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

RTOL = {np.float32: 1e-5, np.float64: 1e-10}
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 4)
MASKS = {
    "none": None,
    "causal": F.causal_mask(5, 7),
    "padding": F.padding_mask(np.array([[7], [3]]), 7),
    "each head its own": np.random.default_rng(1).random((2, 3, 5, 7)) < 0.7,
    "some rows nothing": F.causal_mask(5, 7) & (np.arange(5) % 2 == 0)[:, None],
}


def draw(seed=0, batch=(2,), T=5, S=7, n_heads=3, n_kv_heads=3, d_k=2, d_v=2, d_model=6, dtype=np.float64):
    """Tokens, and weights that keep their spread: x_q, x_kv, w_q, w_k, w_v, w_o."""
    rng = np.random.default_rng(seed)
    weights = [(n_heads * d_k), (n_kv_heads * d_k), (n_kv_heads * d_v)]
    x_q, x_kv = rng.normal(size=(*batch, T, d_model)), rng.normal(size=(*batch, S, d_model))
    w_q, w_k, w_v = (rng.normal(size=(d_model, width)) / np.sqrt(d_model) for width in weights)
    w_o = rng.normal(size=(n_heads * d_v, d_model)) / np.sqrt(n_heads * d_v)
    return [array.astype(dtype) for array in (x_q, x_kv, w_q, w_k, w_v, w_o)]


def test_two_heads_by_hand() -> None:
    """Head 0 takes the mean of feature 0; head 1 sees log 3 more in key 1, so 1/4 and 3/4 of feature 1."""
    x = np.array([[0.0, 8.0, 0.0], [4.0, 0.0, np.log(3.0)]])
    w_q, w_k = np.zeros((3, 2)), np.zeros((3, 2))
    w_q[1, 1], w_k[2, 1] = 1 / 8, 1
    w_v = np.eye(3)[:, :2]
    output, weights = F.multi_head_attention(x, x, w_q, w_k, w_v, np.array([[1.0], [10.0]]), n_heads=2)
    np.testing.assert_allclose(weights[0], np.full((2, 2), 0.5), rtol=1e-14)
    np.testing.assert_allclose(weights[1], [[0.25, 0.75], [0.5, 0.5]], rtol=1e-14)
    np.testing.assert_allclose(output, [[2 + 20], [2 + 40]], rtol=1e-14)


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
def test_shared_heads_equal_to_torch(n_kv_heads: int, dtype) -> None:
    arrays = draw(n_heads=6, n_kv_heads=n_kv_heads, d_v=5, dtype=dtype)
    x_q, x_kv, w_q, w_k, w_v, w_o = map(torch.tensor, arrays)
    q, k, v = (
        (x @ w).unflatten(-1, (heads, -1)).transpose(1, 2)
        for x, w, heads in ((x_q, w_q, 6), (x_kv, w_k, n_kv_heads), (x_kv, w_v, n_kv_heads))
    )
    mask = MASKS["some rows nothing"]
    heads = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=torch.tensor(mask), enable_gqa=True)
    expected = heads.transpose(1, 2).flatten(-2) @ w_o
    output, _ = F.multi_head_attention(*arrays, n_heads=6, n_kv_heads=n_kv_heads, mask=mask)
    np.testing.assert_allclose(output, expected.numpy(), rtol=RTOL[dtype], atol=RTOL[dtype] / 10)


@given(seeds, sizes, st.integers(1, 3), sizes)
def test_each_head_has_its_position_bias(seed: int, n_kv_heads: int, group: int, T: int) -> None:
    """Large enough, it alone decides: each head copies the position that its bias names."""
    n_heads = group * n_kv_heads
    x_q, x_kv, w_q, w_k, w_v, _ = draw(seed, (), T, 5, n_heads, n_kv_heads, 2, 3)
    chosen = np.random.default_rng([seed, 1]).integers(5, size=(n_heads, T))
    bias = 1e4 * (np.arange(5) == chosen[..., None])  # (n_heads, T, S)
    shared = {"n_heads": n_heads, "n_kv_heads": n_kv_heads}
    output, _ = F.multi_head_attention(x_q, x_kv, w_q, w_k, w_v, np.eye(3 * n_heads), position_bias=bias, **shared)
    values = (x_kv @ w_v).reshape(5, n_kv_heads, 3).repeat(group, axis=1)  # (S, n_heads, d_v)
    expected = values[chosen.T, np.arange(n_heads)].reshape(T, 3 * n_heads)
    np.testing.assert_allclose(output, expected, rtol=1e-12, atol=1e-14)
