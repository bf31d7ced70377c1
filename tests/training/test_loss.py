"""The loss: equal to PyTorch's with every gradient, and independent of what is ignored; windows of a text."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.training import cross_entropy, token_windows
from tests.few import few

seeds = st.integers(0, 2**32 - 1)
IGNORE = -100


def example(seed: int, T: int, vocab_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    logits = (30 * torch.randn(3, T, vocab_size, generator=generator, dtype=torch.float64)).requires_grad_()
    return logits, torch.randint(vocab_size, (3, T), generator=generator)


def gradient(loss: torch.Tensor, logits: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad(loss, logits)[0]


@few
@given(seeds, st.integers(1, 7), st.integers(2, 11), st.sampled_from([0.0, 0.1, 1.0]), st.booleans())
def test_equals_torch_with_gradient(seed: int, T: int, vocab_size: int, smoothing: float, some: bool) -> None:
    logits, targets = example(seed, T, vocab_size)
    if some:
        targets.view(-1)[1::2] = IGNORE
    got = cross_entropy(logits, targets, label_smoothing=smoothing, ignore_index=IGNORE if some else None)
    expected = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), label_smoothing=smoothing, ignore_index=IGNORE
    )
    torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradient(got, logits), gradient(expected, logits), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_over_no_target_is_nothing_and_pulls_nowhere(smoothing: float) -> None:
    logits, targets = example(0, T=2, vocab_size=5)
    loss = cross_entropy(logits, torch.full_like(targets, IGNORE), label_smoothing=smoothing, ignore_index=IGNORE)
    assert loss.item() == 0
    assert torch.equal(gradient(loss, logits), torch.zeros_like(logits))


def test_half_precision_is_read_in_float32() -> None:
    logits, targets = example(0, T=7, vocab_size=11)
    halves = (logits / 30).to(torch.bfloat16)
    loss = cross_entropy(halves, targets)
    assert loss.dtype == torch.float32
    assert loss.item() == cross_entropy(halves.float(), targets).item()


def test_refuses(unchecked) -> None:
    with pytest.raises(ValueError, match=r"logits \(2, 5\) must be \(3, 'vocab_size'\) for these targets"):
        cross_entropy(torch.zeros(2, 5), torch.zeros(3, dtype=torch.int64))
    for fraction in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match=f"label_smoothing={fraction} must be between 0 and 1"):
            cross_entropy(torch.zeros(2, 5), torch.zeros(2, dtype=torch.int64), label_smoothing=fraction)


def test_windows_come_from_everywhere() -> None:
    generator = torch.Generator().manual_seed(0)
    inputs, targets = token_windows(torch.arange(10), batch=500, length=4)(generator)
    assert torch.equal(inputs + 1, targets)
    assert sorted(set(inputs[:, 0].tolist())) == list(range(6))  # the last window ends with the last token
    with pytest.raises(ValueError, match="windows of length=10 need more than 10 tokens, got 10"):
        token_windows(torch.arange(10), batch=1, length=10)
