"""Masks at work: nothing leaks, padding does not count, prefixes and caches agree, and PyTorch says the same."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

sizes, seeds = st.integers(1, 7), st.integers(0, 2**32 - 1)


def draw(seed: int, T: int, S: int, *batch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(*batch, T, 3)), rng.normal(size=(*batch, S, 3)), rng.normal(size=(*batch, S, 5))


# --- by hand ---


def test_causal_and_padding_by_hand() -> None:
    both = F.causal_mask(3) & F.padding_mask([3, 1], 3)
    assert both.shape == (2, 3, 3)
    np.testing.assert_array_equal(both[0], [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    np.testing.assert_array_equal(both[1], [[1, 0, 0], [1, 0, 0], [1, 0, 0]])


def test_a_padded_query_averages_what_it_may_see() -> None:
    q, k, v = np.zeros((1, 3, 2)), np.zeros((1, 3, 2)), np.array([[[2.0], [6.0], [100.0]]])
    output, _ = F.scaled_dot_product_attention(q, k, v, F.causal_mask(3) & F.padding_mask([2], 3))
    np.testing.assert_allclose(output[0], [[2.0], [4.0], [4.0]], rtol=1e-12)


def test_cross_attention_by_hand() -> None:
    q = np.array([[0, 0, 0, 0], [2 * np.log(3.0), 0, 0, 0]])  # d_k = 4, so that the root is 2
    k = np.eye(4)[:2]
    output, weights = F.scaled_dot_product_attention(q, k, np.array([[4.0], [8.0]]))
    np.testing.assert_allclose(weights, [[0.5, 0.5], [0.75, 0.25]], rtol=1e-12)
    np.testing.assert_allclose(output, [[6.0], [5.0]], rtol=1e-12)


# --- against PyTorch ---


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-10)])
def test_composed_masks_equal_torch(dtype: type, rtol: float) -> None:
    q, k, v = (array.astype(dtype) for array in draw(0, 7, 7, 3, 2))
    mask = F.causal_mask(7) & F.padding_mask(np.array([[7], [4], [1]]), 7)  # (B, 1, T, S)
    expected = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v, mask)))
    np.testing.assert_allclose(F.scaled_dot_product_attention(q, k, v, mask)[0], expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize(("dtype", "rtol"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
def test_cross_attention_equals_torch(dtype: torch.dtype, rtol: float) -> None:
    """Decoder and encoder differ in length and width, and the source is padded."""
    torch.manual_seed(0)
    peer = torch.nn.MultiheadAttention(4, 1, kdim=6, vdim=6, bias=False, batch_first=True, dtype=dtype)
    x, y = torch.randn(2, 3, 4, dtype=dtype), torch.randn(2, 5, 6, dtype=dtype)  # decoder, encoder
    mask = F.padding_mask([5, 2], 5)  # (B, 1, S)
    expected, expected_weights = peer(x, y, y, key_padding_mask=torch.tensor(~mask[:, 0]))
    w_q, w_k, w_v, w_o = (
        weight.detach().numpy().T
        for weight in (peer.q_proj_weight, peer.k_proj_weight, peer.v_proj_weight, peer.out_proj.weight)
    )
    output, weights = F.scaled_dot_product_attention(x.numpy() @ w_q, y.numpy() @ w_k, y.numpy() @ w_v, mask)
    np.testing.assert_allclose(weights, expected_weights.detach(), rtol=rtol, atol=rtol)
    np.testing.assert_allclose(output @ w_o, expected.detach(), rtol=rtol, atol=rtol)


# --- laws ---


@given(seeds, sizes, st.data())
def test_what_a_mask_hides_cannot_move_an_output(seed: int, T: int, data: st.DataObject) -> None:
    S = data.draw(st.integers(1, 7))
    q, k, v = draw(seed, T, S)
    mask = np.random.default_rng(seed).random(size=(T, S)) < 0.5
    before, _ = F.scaled_dot_product_attention(q, k, v, mask)
    s = data.draw(st.integers(0, S - 1))
    k[s], v[s] = np.nan, np.inf
    after, _ = F.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_allclose(after[~mask[:, s]], before[~mask[:, s]], rtol=1e-12, atol=1e-14)


@given(seeds, sizes, sizes)
def test_padding_on_the_right_does_not_count(seed: int, length: int, more: int) -> None:
    """Neither with the causal mask alone, for the true queries, nor with both."""
    q, k, v = draw(seed, length + more, length + more)
    causal, padding = F.causal_mask(length + more), F.padding_mask([length], length + more)[0]
    alone, _ = F.scaled_dot_product_attention(q[:length], k[:length], v[:length], F.causal_mask(length))
    for mask in (causal, causal & padding):
        padded, _ = F.scaled_dot_product_attention(q, k, v, mask)
        np.testing.assert_allclose(padded[:length], alone, rtol=1e-10, atol=1e-12)


@given(seeds, sizes, sizes)
def test_a_cache_of_past_keys_gives_the_masked_rows(seed: int, past: int, T: int) -> None:
    q, k, v = draw(seed, past + T, past + T)
    whole, _ = F.scaled_dot_product_attention(q, k, v, F.causal_mask(past + T))
    new, _ = F.scaled_dot_product_attention(q[past:], k, v, F.causal_mask(T, past + T))
    np.testing.assert_allclose(new, whole[past:], rtol=1e-10, atol=1e-12)


@given(seeds, sizes, sizes)
def test_a_source_may_come_in_any_order(seed: int, T: int, S: int) -> None:
    """Keys and values that move together change nothing; that is why the encoder needs positions."""
    q, k, v = draw(seed, T, S)
    order = np.random.default_rng(seed).permutation(S)
    output, weights = F.scaled_dot_product_attention(q, k, v)
    moved, moved_weights = F.scaled_dot_product_attention(q, k[order], v[order])
    np.testing.assert_allclose(moved, output, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(moved_weights, weights[:, order], rtol=1e-10, atol=1e-12)


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
def test_the_diagram_s_wiring_has_no_product() -> None:
    x, y = np.zeros((4, 2)), np.zeros((5, 2))  # decoder, encoder
    with pytest.raises(ValueError, match=r"^every key needs one value: k \(5, 2\) and v \(4, 2\) differ"):
        F.scaled_dot_product_attention(y, y, x)


@pytest.mark.usefixtures("unchecked")
def test_a_causal_mask_does_not_fit_a_longer_source() -> None:
    x, y = np.zeros((4, 2)), np.zeros((5, 2))
    with pytest.raises(ValueError, match=r"^mask \(4, 4\) does not broadcast to scores \(4, 5\)$"):
        F.scaled_dot_product_attention(x, y, y, F.causal_mask(4))
