"""The backward pass of attention on random shapes: equal to autograd, for every kind of mask and shared keys."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from tests.few import few

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)
KINDS = ("none", "causal", "padding", "scattered", "some rows nothing")
BOUND = {np.float32: 1e-5, np.float64: 1e-12}


def draw_mask(kind: str, rng: np.random.Generator, T: int, S: int) -> np.ndarray | None:
    """Draw a mask of a kind, (T, S) or, for padding, (2, 1, 1, S): one length for each of two sequences."""
    if kind == "none":
        return None
    if kind == "causal":
        return F.causal_mask(T, S)
    if kind == "padding":
        return F.padding_mask(rng.integers(0, S + 1, size=(2, 1)), S)  # length 0: every row sees nothing
    mask = rng.random((T, S)) < 0.6
    return mask & (np.arange(T) % 2 == 0)[:, None] if kind == "some rows nothing" else mask


def autograd(d_output, q, k, v, mask, **options):
    tensors = [torch.tensor(array, requires_grad=True) for array in (q, k, v)]
    attn_mask = None if mask is None else torch.tensor(mask)
    output = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=attn_mask, **options)
    output.backward(torch.tensor(d_output))
    return [tensor.grad.numpy() for tensor in tensors]


def assert_equal(got, expected, bound: float) -> None:
    """Compare each gradient with autograd's, relative to its largest entry."""
    overall = max(np.abs(gradient).max() for gradient in expected)
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        # With one key, or two that hardly differ, d_q and d_k are 0 but for rounding in the larger d_v.
        assert np.abs(mine - theirs).max() <= bound * max(np.abs(theirs).max(), 0.1 * overall)


@few
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(seeds, st.sampled_from(KINDS), sizes, sizes, sizes, sizes)
def test_random_shapes(dtype: type, seed: int, kind: str, T: int, extra: int, d_k: int, d_v: int) -> None:
    S = T + extra - 1 if kind == "causal" else extra
    rng = np.random.default_rng(seed)
    shapes = (2, 1, T, d_v), (2, 1, T, d_k), (2, 1, S, d_k), (2, 1, S, d_v)
    arrays = [rng.normal(size=shape).astype(dtype) for shape in shapes]
    mask = draw_mask(kind, rng, T, S)
    assert_equal(F.scaled_dot_product_attention_backward(*arrays, mask), autograd(*arrays, mask), BOUND[dtype])


@given(seeds, st.sampled_from(KINDS), st.integers(1, 3), st.integers(1, 4), sizes)
def test_shared_keys_collect_the_sum_over_their_group(
    seed: int, kind: str, n_kv_heads: int, group: int, T: int
) -> None:
    """Repeat keys and values for the heads of a group, and sum what comes back over the group: GQA."""
    rng, n_heads = np.random.default_rng(seed), n_kv_heads * group
    q, d_output = rng.normal(size=(2, n_heads, T, 3)), rng.normal(size=(2, n_heads, T, 5))
    k, v = rng.normal(size=(2, n_kv_heads, T, 3)), rng.normal(size=(2, n_kv_heads, T, 5))
    mask = draw_mask(kind, rng, T, T)
    repeated = (np.repeat(array, group, axis=1) for array in (k, v))
    d_q, *d_repeated = F.scaled_dot_product_attention_backward(d_output, q, *repeated, mask)
    d_k, d_v = (d.reshape(2, n_kv_heads, group, T, -1).sum(axis=2) for d in d_repeated)
    assert_equal((d_q, d_k, d_v), autograd(d_output, q, k, v, mask, enable_gqa=True), 1e-12)


@given(seeds, st.sampled_from(KINDS), sizes, sizes)
def test_row_term_is_output_times_its_gradient(seed: int, kind: str, T: int, d: int) -> None:
    """What the softmax subtracts needs no weights: it is the product of the output with its gradient."""
    rng = np.random.default_rng(seed)
    d_output, q, k, v = rng.normal(size=(4, 2, 1, T, d))
    output, weights = F.scaled_dot_product_attention(q, k, v, draw_mask(kind, rng, T, T))
    by_weights = (weights * (d_output @ v.swapaxes(-1, -2))).sum(axis=-1)
    np.testing.assert_allclose((d_output * output).sum(axis=-1), by_weights, rtol=1e-12, atol=1e-12)
