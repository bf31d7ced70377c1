"""Attention in blocks: what it computes, what it leaves out, and how much memory it takes."""

import tracemalloc
from collections.abc import Callable
from unittest.mock import patch

import numpy as np

from clearformer import functional as F
from clearformer.functional import streaming
from tests.functional.streaming_cases import draw


def work_of(call: Callable[[], object]) -> int:
    """Scores that were computed, counted where they are made."""
    with patch.object(streaming, "_scores", wraps=streaming._scores) as counted:
        call()
    return sum(len(call.args[0]) * len(call.args[1]) for call in counted.call_args_list)


def test_blocks_that_nobody_sees_are_left_out() -> None:
    T, chunk = 64, 4
    d_output, q, k, v = draw(0, T, T)
    kept = F.streaming_attention_with_logsumexp(q, k, v, F.causal_blocks(T), chunk=chunk)
    for mask in (F.causal_blocks(T), F.causal_mask(T)):
        for call in (
            lambda mask=mask: F.streaming_attention(q, k, v, mask, chunk=chunk),
            lambda mask=mask: F.streaming_attention_backward(d_output, q, k, v, mask, kept=kept, chunk=chunk),
        ):
            assert work_of(call) == 3 * T * (T + chunk) / 2
    window = np.abs(np.arange(T)[:, None] - np.arange(T)) < chunk
    window[:, :chunk] = True  # everyone sees the start, too: two pieces
    assert work_of(lambda: F.streaming_attention(q, k, v, window, chunk=chunk)) < 3 * T * 4 * chunk


def test_skipped_blocks_are_not_read() -> None:
    """A NaN in a skipped key does not even cost time."""
    _, q, k, v = draw(0, 8, 16)
    mask = np.tile(np.arange(16) < 8, (8, 1))
    before = F.streaming_attention(q, k, v, mask, chunk=4)
    k[..., 8:, :], v[..., 8:, :] = np.nan, np.nan
    with patch.object(streaming, "_product", wraps=streaming._product) as product:
        np.testing.assert_allclose(F.streaming_attention(q, k, v, mask, chunk=4), before, rtol=1e-12)
        assert all(np.isfinite(call.args[1]).all() for call in product.call_args_list)


def test_memory_is_linear_in_the_number_of_tokens() -> None:
    peaks = []
    for T in (512, 1024):
        d_output, q, k, v = draw(0, T, T, 8, 8)
        tracemalloc.start()
        results = F.streaming_attention_backward(d_output, q, k, v, F.causal_blocks(T), chunk=32)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert results
    assert peaks[1] < 2.2 * peaks[0]
    assert peaks[1] < 8 * 1024 * 1024  # one score for each query and key of one head would fill it


def test_scores_of_any_size_stay_finite() -> None:
    q, k, v = (np.full((2, 4), size, dtype=np.float32) for size in (1e4, 1e4, 1))
    np.testing.assert_array_equal(F.streaming_attention(q, k, v), v)
    np.testing.assert_array_equal(F.streaming_attention(q, -k, v), v)
