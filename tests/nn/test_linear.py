"""The product with a matrix: the same by every way it is read, and weights that lie as files keep them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import nn
from clearformer.nn import _linear

N_IN = 520


def large(n_out: int, seed: int = 0) -> torch.nn.Parameter:
    return _linear.matrix(N_IN, n_out, torch.Generator().manual_seed(seed), None)


@pytest.mark.parametrize("n_out", [506, 512, 513, 509 * 2, 29 * 19, 521])  # odd ones, and a prime
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_single_row_in_parts_is_the_row_times_the_matrix(
    n_out: int, shape: tuple[int, ...], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    w, b = large(n_out), torch.randn(n_out)
    assert w.numel() >= _linear.LARGE
    x = torch.randn(*shape, N_IN)
    expected = x.double() @ w.double() + b.double()
    with torch.no_grad():
        torch.testing.assert_close(_linear.product(x, w, b), expected.float(), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(_linear.product(x, w, None), (expected - b).float(), rtol=1e-4, atol=1e-5)
        # Whoever hands in a matrix that lies the other way gets the same.
        torch.testing.assert_close(_linear.product(x, w.contiguous(), b), expected.float(), rtol=1e-4, atol=1e-5)
    assert _linear.product(x, w, b).requires_grad


@pytest.mark.parametrize("shape", [(2,), (0,), (5,), (2, 3), (2, 0, 3), (1, 70), (3, 1)])
@pytest.mark.parametrize("onednn", [True, False])
def test_many_rows_times_a_large_matrix(shape: tuple[int, ...], onednn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not onednn:
        monkeypatch.setattr(_linear, "_has_onednn", lambda: False)
    w, b = large(513), torch.randn(513)
    x = torch.randn(*shape, N_IN)
    with torch.no_grad():
        for given_x in (x, x.mT.contiguous().mT, torch.cat([x, x], dim=-1)[..., N_IN:]):  # in other orders, with gaps
            for bias in (None, b):
                expected = given_x.double() @ w.double() + (0 if bias is None else bias.double())
                made = _linear.product(given_x, w, bias)
                torch.testing.assert_close(made, expected.float(), rtol=1e-4, atol=1e-4)
                assert made.is_contiguous()
        with pytest.raises(ValueError, match=rf"x must be \(\.\.\., d_model={N_IN}\), got shape"):
            _linear.product(torch.zeros(2, N_IN - 1), w, b)
    assert _linear.product(x, w, b).requires_grad


def test_autocast_decides_about_a_large_matrix() -> None:
    w, x = large(513), torch.randn(3, N_IN)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        assert _linear.product(x, w, None).dtype == _linear.product(x[:1], w, None).dtype == torch.bfloat16


@given(st.integers(1, 5000), st.integers(1, 64))
def test_parts_are_equal_and_enough_for_every_thread_or_there_is_one(n_out: int, threads: int) -> None:
    n = _linear._parts(n_out, threads)
    assert n_out % n == 0
    enough = [k for k in range(threads, 65) if n_out % k == 0]
    assert n in enough if enough else n == 1


@pytest.mark.parametrize("generator", [None, torch.Generator().manual_seed(0)])
def test_the_weights_of_each_output_lie_in_a_row(generator: torch.Generator | None) -> None:
    parts = [
        nn.MultiHeadAttention(12, 3, 1, d_k=10, generator=generator),
        nn.FeedForward(12, 20, generator=generator),
        nn.GatedFeedForward(12, 7, generator=generator),
    ]
    for part in parts:
        for name, w in part.named_parameters():
            if w.ndim == 2:
                assert w.T.is_contiguous(), name


def test_matrices_side_by_side_are_drawn_one_after_the_other() -> None:
    generator = torch.Generator().manual_seed(3)
    each = [_linear.matrix(5, width, generator, None) for width in (4, 2, 3)]
    joined = _linear.matrices(5, (4, 2, 3), torch.Generator().manual_seed(3), None)
    assert torch.equal(joined, torch.cat(each, dim=1))
