"""The processors that look back: equal to transformers and to counting, by hand, and what they refuse."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import RepetitionPenaltyLogitsProcessor

from clearformer import decoding
from tests.few import few

INF = torch.inf


@st.composite
def rows(draw) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits (B, vocab_size), with zeros and masked tokens among them, and the tokens so far (B, T)."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32 - 1)))
    n_rows, length, vocab_size = draw(st.integers(1, 3)), draw(st.integers(0, 7)), draw(st.integers(1, 5))
    z = 2 * torch.randn(n_rows, vocab_size, generator=generator)
    z = draw(st.sampled_from([z, z.round(), z.double()]))
    z = z.masked_fill((torch.rand(z.shape, generator=generator) < 0.2) & (z < z.amax(-1, keepdim=True)), -INF)
    return z, torch.randint(vocab_size, (n_rows, length), generator=generator)


@few
@given(rows(), st.floats(-2, 2))
def test_frequency_and_presence_are_those_of_counting(case, penalty) -> None:
    z, ids = case
    counts = torch.tensor([[Counter(row.tolist())[i] for i in range(z.shape[1])] for row in ids])
    frequency, presence = decoding.frequency_penalty(z, ids, penalty), decoding.presence_penalty(z, ids, penalty)
    torch.testing.assert_close(frequency, z - penalty * counts.to(z.dtype), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(presence, z - penalty * (counts > 0).to(z.dtype), rtol=1e-5, atol=1e-5)


# --- against transformers and against counting ---


@few
@given(rows(), st.floats(0.1, 10))
def test_repetition_is_that_of_transformers(case, rho) -> None:
    z, ids = case
    assert torch.equal(decoding.repetition_penalty(z, ids, rho), RepetitionPenaltyLogitsProcessor(rho)(ids, z))


# --- by hand ---


@pytest.mark.parametrize(("shift", "expected"), [(0, 0.516), (5, 0.252), (-5, 0.408)])
def test_only_repetition_depends_on_the_zero_point(shift: float, expected: float) -> None:
    z, ids = torch.tensor([[2.0, 1.0, 0.5]]), torch.tensor([[0]])
    torch.testing.assert_close(z.softmax(-1), torch.tensor([[0.6285, 0.2312, 0.1402]]), atol=5e-5, rtol=0)
    penalized = decoding.repetition_penalty(z + shift, ids, 1.3).softmax(-1)
    assert penalized[0, 0].item() == pytest.approx(expected, abs=5e-4)
    for penalty in (decoding.frequency_penalty, decoding.presence_penalty):
        torch.testing.assert_close(penalty(z + shift, ids, 1.3).softmax(-1), penalty(z, ids, 1.3).softmax(-1))


# --- refusals ---

PENALTIES = [decoding.frequency_penalty, decoding.presence_penalty, decoding.repetition_penalty]
BAD_IDS = [
    (torch.tensor([[0, 3]]), ValueError, "ids hold 3, outside the vocabulary of 3 tokens, 0 to 2"),
    (torch.tensor([[0], [1]]), ValueError, r"B=1 as in the logits, got shape \(2, 1\)"),
    (torch.tensor([[0.0]]), TypeError, "got dtype torch.float32"),
]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize(("ids", "error", "message"), BAD_IDS)
def test_refuses_tokens_that_do_not_belong(unchecked, penalty, ids, error, message: str) -> None:
    with pytest.raises(error, match=message):
        penalty(torch.zeros(1, 3), ids, 1.0)


@pytest.mark.parametrize(
    ("penalty", "value", "message"),
    [
        (decoding.frequency_penalty, torch.nan, "alpha=nan must be a finite"),
        (decoding.presence_penalty, -INF, "beta=-inf"),
        (decoding.repetition_penalty, 0.0, "rho=0.0 must be a positive, finite"),
    ],
)
def test_refuses_penalties_with_the_number(penalty, value: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        penalty(torch.zeros(1, 3), torch.tensor([[0]]), value)
