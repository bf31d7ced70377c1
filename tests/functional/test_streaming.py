"""Attention in blocks: equal to attention all at once, forwards and backwards, and never a (T, S) array."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from tests.few import few
from tests.functional.streaming_cases import KINDS, assert_equal, draw, draw_mask, seeds, sizes


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
