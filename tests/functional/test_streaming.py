"""Attention in blocks: equal to attention all at once, forwards and backwards, and never a (T, S) array."""

import re
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from clearformer import functional as F
from clearformer.functional import streaming
from tests.few import few
from tests.functional.streaming_cases import KINDS, assert_equal, draw, draw_mask, seeds, sizes

# --- by hand ---


def test_running_means_by_hand() -> None:
    q, k, v = np.zeros((3, 2)), np.zeros((3, 2)), np.array([[3.0], [6.0], [9.0]])
    output = F.streaming_attention(q, k, v, F.causal_blocks(3), chunk=2)
    np.testing.assert_allclose(output, [[3.0], [4.5], [6.0]], rtol=1e-15)
    _, _, d_v = F.streaming_attention_backward(np.ones((3, 1)), q, k, v, F.causal_blocks(3), chunk=2)
    np.testing.assert_allclose(d_v, [[1 + 1 / 2 + 1 / 3], [1 / 2 + 1 / 3], [1 / 3]], rtol=1e-15)


# --- equal to attention all at once ---


@few
@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 1e-5), (np.float64, 1e-12)])
@given(seeds, st.sampled_from(KINDS), sizes, sizes, sizes, st.sampled_from([1.0, 30.0]))
def test_random_shapes(
    dtype: type, bound: float, seed: int, kind: str, T: int, S: int, chunk: int, size: float
) -> None:
    """Also with scores beyond what exp takes (size 30), where the largest is subtracted."""
    S = max(S, T) if kind in ("causal", "blocks") else S
    d_output, q, k, v = draw(seed, T, S, dtype=dtype)
    q = (size * q).astype(dtype)
    mask, array = draw_mask(kind, seed, T, S)
    expected, _ = F.scaled_dot_product_attention(q, k, v, array)
    assert_equal(F.streaming_attention(q, k, v, mask, chunk=chunk), expected, bound)
    gradients = F.streaming_attention_backward(d_output, q, k, v, mask, chunk=chunk)
    for got, wanted in zip(gradients, F.scaled_dot_product_attention_backward(d_output, q, k, v, array), strict=True):
        assert_equal(got, wanted, 10 * bound)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-12)])
def test_equals_torch_on_many_blocks(dtype: type, rtol: float) -> None:
    d_output, *qkv = draw(0, 300, 300, 16, 16, dtype)
    tensors = [torch.tensor(array, requires_grad=True) for array in qkv]
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)
    expected.backward(torch.tensor(d_output))
    mask = F.causal_blocks(300)
    assert_equal(F.streaming_attention(*qkv, mask, chunk=64), expected.detach().numpy(), rtol)
    for got, tensor in zip(F.streaming_attention_backward(d_output, *qkv, mask, chunk=64), tensors, strict=True):
        assert tensor.grad is not None
        assert_equal(got, tensor.grad.numpy(), rtol)


@few
@given(seeds, st.sampled_from(KINDS), sizes, st.sampled_from([1.0, 30.0]))
def test_logsumexp_is_that_of_the_allowed_scores(seed: int, kind: str, chunk: int, size: float) -> None:
    d_output, q, k, v = draw(seed, 3, 5)
    mask, array = draw_mask(kind, seed, 3, 5)
    kept = F.streaming_attention_with_logsumexp(size * q, k, v, mask, chunk=chunk)
    scores = size * q @ k.swapaxes(-1, -2) / np.sqrt(3)
    allowed = scores if array is None else np.where(array, scores, -np.inf)
    np.testing.assert_allclose(kept[1], np.logaddexp.reduce(allowed, axis=-1), rtol=1e-12, atol=1e-12)
    again = F.streaming_attention_backward(d_output, size * q, k, v, mask, chunk=chunk)
    for one, other in zip(
        F.streaming_attention_backward(d_output, size * q, k, v, mask, kept=kept, chunk=chunk), again, strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("sign", [1, -1])
def test_half_precision_has_its_own_bounds(sign: int) -> None:
    """Scores of 18 and 16.2 suit float32; e to either is beyond float16, and e to their negatives 0 there."""
    q = np.full((1, 4), 3, np.float16)
    k, v = sign * np.stack([q[0], np.float16(0.9) * q[0]]), np.array([[1], [3]], np.float16)
    exact = [array.astype(np.float64) for array in (q, k, v)]
    np.testing.assert_allclose(F.streaming_attention(q, k, v), F.streaming_attention(*exact), rtol=0.01)
    expected = F.streaming_attention_backward(np.ones((1, 1)), *exact)
    for got, wanted in zip(F.streaming_attention_backward(v[:1], q, k, v), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0.02, atol=1e-3)


@few
@given(seeds, sizes, sizes)
def test_the_size_of_a_block_changes_nothing(seed: int, one: int, other: int) -> None:
    _, q, k, v = draw(seed, 7, 7)
    mask = F.causal_blocks(7)
    outputs = [F.streaming_attention(q, k, v, mask, chunk=chunk) for chunk in (one, other)]
    np.testing.assert_allclose(*outputs, rtol=1e-12, atol=1e-13)


def test_one_head_alone_and_one_of_many_agree() -> None:
    d_output, q, k, v = draw(0, 7, 11)
    np.testing.assert_array_equal(
        F.streaming_attention(q[0, 2], k[0, 2], v[0, 2], chunk=5), F.streaming_attention(q, k, v, chunk=5)[0, 2]
    )
    alone = F.streaming_attention_backward(d_output[0, 2], q[0, 2], k[0, 2], v[0, 2], chunk=5)
    for one, many in zip(alone, F.streaming_attention_backward(d_output, q, k, v, chunk=5), strict=True):
        np.testing.assert_array_equal(one, many[0, 2])


# --- what is hidden stays hidden ---


@few
@given(seeds, st.sampled_from(["causal", "blocks", "scattered", "some rows nothing"]), sizes, sizes, st.data())
def test_what_a_mask_hides_cannot_touch_anything(seed: int, kind: str, T: int, chunk: int, data: st.DataObject) -> None:
    S = T + 1
    _, q, k, v = draw(seed, T, S)
    mask, array = draw_mask(kind, seed, T, S)
    hidden = ~np.broadcast_to(array, (1, 3, T, S))
    s = data.draw(st.integers(0, S - 1))
    before = F.streaming_attention(q, k, v, mask, chunk=chunk)
    k[..., s, :], v[..., s, :] = np.nan, np.inf
    after = F.streaming_attention(q, k, v, mask, chunk=chunk)
    np.testing.assert_allclose(after[hidden[..., s]], before[hidden[..., s]], rtol=1e-12, atol=1e-13)


@few
@given(seeds, st.sampled_from(["causal", "blocks", "scattered", "some rows nothing"]), sizes, sizes, st.data())
def test_broken_values_reach_the_gradients_that_they_reach_all_at_once(
    seed: int, kind: str, T: int, chunk: int, data: st.DataObject
) -> None:
    S = T + 1
    d_output, q, k, v = draw(seed, T, S)
    mask, array = draw_mask(kind, seed, T, S)
    s = data.draw(st.integers(0, S - 1))
    k[..., s, :], v[..., s, :] = np.nan, np.nan
    expected = F.scaled_dot_product_attention_backward(d_output, q, k, v, array)
    for got, wanted in zip(F.streaming_attention_backward(d_output, q, k, v, mask, chunk=chunk), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)  # a NaN equals a NaN here


def test_a_query_that_sees_nothing_gets_and_gives_nothing() -> None:
    d_output, q, k, v = draw(0, 5, 7)
    mask = np.ones((5, 7), dtype=bool)
    mask[2] = False
    q[..., 2, :] = np.nan
    assert (F.streaming_attention(q, k, v, mask, chunk=2)[..., 2, :] == 0).all()
    d_q, d_k, d_v = F.streaming_attention_backward(d_output, q, k, v, mask, chunk=2)
    assert (d_q[..., 2, :] == 0).all()
    rest = [0, 1, 3, 4]
    expected = F.scaled_dot_product_attention_backward(d_output[..., rest, :], q[..., rest, :], k, v)
    np.testing.assert_allclose(d_k, expected[1], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(d_v, expected[2], rtol=1e-10, atol=1e-13)


def test_a_query_that_sees_nothing_costs_nothing_either() -> None:
    """Its exponentials are 0, and no 0 / 0 that the slow path would have to take out again."""
    d_output, q, k, v = draw(0, 5, 7)
    mask = np.arange(5)[:, None] + np.zeros(7) != 2
    with patch.object(streaming, "_product", wraps=streaming._product) as product:
        for size in (1.0, 30.0):
            F.streaming_attention_backward(d_output, size * q, k, v, mask, chunk=4)
    assert all(np.isfinite(array).all() for call in product.call_args_list for array in call.args[:2])


@pytest.mark.parametrize("mask", [lambda queries, keys: np.array([[False]]), np.zeros((4, 5), dtype=bool)])
def test_nothing_to_see_at_all(mask: object) -> None:
    d_output, q, k, v = draw(0, 4, 5)
    assert not F.streaming_attention(q, k, v, mask).any()
    assert not any(gradient.any() for gradient in F.streaming_attention_backward(d_output, q, k, v, mask))


def test_no_keys_at_all() -> None:
    d_output, q, k, v = draw(0, 4, 0)
    assert not F.streaming_attention(q, k, v).any()
    d_q, d_k, _ = F.streaming_attention_backward(d_output, q, k, v)
    assert not d_q.any()
    assert d_k.shape == (1, 3, 0, 3)


# --- refusals ---

Q, K, V = np.ones((2, 5, 2)), np.ones((2, 7, 2)), np.ones((2, 7, 11))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("chunk", [0, -1])
def test_refuses_blocks_of_no_size(chunk: int) -> None:
    with pytest.raises(ValueError, match=rf"^chunk={chunk} must be at least 1$"):
        F.streaming_attention(Q, K, V, chunk=chunk)
    with pytest.raises(ValueError, match=rf"^chunk={chunk} must be at least 1$"):
        F.streaming_attention_backward(np.ones((2, 5, 11)), Q, K, V, chunk=chunk)


@pytest.mark.usefixtures("unchecked")
def test_refuses_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"^q \(2, 5, 2\) and k \(2, 7, 11\) must share a last axis"):
        F.streaming_attention(Q, V, V)
    with pytest.raises(ValueError, match=r"^every key needs one value: k \(2, 7, 2\) and v \(2, 6, 11\)"):
        F.streaming_attention(Q, K, V[:, :6])
    with pytest.raises(ValueError, match=r"^d_output \(2, 5, 2\) must be \(2, 5, 11\) to fit"):
        F.streaming_attention_backward(Q, Q, K, V)
    y = np.ones((2, 5, 11))
    with pytest.raises(ValueError, match=r"^the output kept \(2, 5, 2\) must be \(2, 5, 11\) to fit"):
        F.streaming_attention_backward(y, Q, K, V, kept=(Q, np.ones((2, 5))))
    with pytest.raises(ValueError, match=r"^the logsumexp kept \(2, 5, 11\) must be \(2, 5\) to fit"):
        F.streaming_attention_backward(y, Q, K, V, kept=(y, y))
    with pytest.raises(TypeError, match=r"^v must hold floats, got dtype int64"):
        F.streaming_attention(Q, K, V.astype(np.int64))


@pytest.mark.usefixtures("unchecked")
def test_refuses_masks_that_do_not_fit() -> None:
    message = re.escape("mask (7, 5) does not broadcast to scores (2, 5, 7)")
    with pytest.raises(ValueError, match=f"^{message}$"):
        F.streaming_attention(Q, K, V, np.ones((7, 5), dtype=bool))
    with pytest.raises(TypeError, match=r"^mask must be boolean, .* got dtype float64, mask \(5, 7\) for scores"):
        F.streaming_attention(Q, K, V, np.ones((5, 7)))
    with pytest.raises(TypeError, match=r"^mask must be a boolean NumPy array for scores \(2, 5, 7\), got list$"):
        F.streaming_attention(Q, K, V, [[True]])


@pytest.mark.usefixtures("unchecked")
def test_refuses_a_function_that_answers_something_else() -> None:
    with pytest.raises(ValueError, match=r"^mask \(3,\) does not broadcast to scores \(2, 4, 4\)$"):
        F.streaming_attention(Q, K, V, lambda queries, keys: np.ones(3, dtype=bool), chunk=4)
    with pytest.raises(TypeError, match=r"^mask must be boolean, .* got dtype int64, mask \(4, 4\) for scores"):
        F.streaming_attention(Q, K, V, lambda queries, keys: queries[:, None] - keys, chunk=4)


def test_the_checker_refuses_a_mask_of_numbers() -> None:
    with pytest.raises(TypeCheckError):
        F.streaming_attention(Q, K, V, np.ones((5, 7)))
