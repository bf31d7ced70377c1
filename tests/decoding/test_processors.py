"""The processors that reshape or cut: equal to transformers on random rows, by hand, and in their composition."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import MinPLogitsWarper, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from clearformer import decoding
from clearformer.decoding import pipeline
from tests.few import few

INF = torch.inf
NO_IDS = torch.zeros(1, 0, dtype=torch.int64)
fractions = st.one_of(st.sampled_from([1e-12, 0.25, 0.5, 0.75, 1.0]), st.floats(1e-3, 1))


@st.composite
def logits(draw) -> torch.Tensor:
    """Rows (B, vocab_size) of normal numbers, or of few whole ones so that many tie, or of equal ones; some masked."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32 - 1)))
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 11)))
    z = torch.randn(shape, generator=generator, dtype=draw(st.sampled_from([torch.float32, torch.float64])))
    z = {"normal": 3 * z, "ties": (2 * z).round(), "equal": torch.zeros_like(z)}[
        draw(st.sampled_from(["normal", "ties", "equal"]))
    ]
    masked = torch.rand(shape, generator=generator) < draw(st.sampled_from([0.0, 0.3]))
    masked[:, -1] = False
    return z.masked_fill(masked, -INF)


def row(*probabilities: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.tensor([probabilities], dtype=dtype).log()


# --- against transformers: the same to the last bit ---


@given(logits(), st.floats(0.01, 100))
def test_temperature_is_that_of_transformers(z, tau) -> None:
    assert torch.equal(decoding.temperature(z, tau), TemperatureLogitsWarper(tau)(None, z))


@given(logits(), st.data())
def test_top_k_is_that_of_transformers(z, data) -> None:
    k = data.draw(st.integers(1, z.shape[1]))
    assert torch.equal(decoding.top_k(z, k), TopKLogitsWarper(k)(None, z))


@given(logits(), fractions)
def test_top_p_is_that_of_transformers(z, p) -> None:
    assert torch.equal(decoding.top_p(z, p), TopPLogitsWarper(p)(None, z))


@few
@given(logits(), fractions)
def test_min_p_is_that_of_transformers(z, p) -> None:
    assert torch.equal(decoding.min_p(z, p), MinPLogitsWarper(p)(None, z))


# --- invariants ---


@few
@given(logits(), fractions, st.data())
def test_cuts_keep_the_best_unchanged_and_change_no_argument(z, p, data) -> None:
    before = z.clone()
    k = data.draw(st.integers(1, z.shape[1]))
    for cut in (decoding.top_k(z, k), decoding.top_p(z, p), decoding.min_p(z, p)):
        assert ((cut == z) | (cut == -INF)).all()
        assert torch.equal(cut.amax(-1), z.amax(-1))
    assert torch.equal(z, before)


@few
@given(logits(), st.data())
def test_pipeline_runs_the_steps_in_the_stated_order(z, data) -> None:
    k, p, least = data.draw(st.integers(1, z.shape[1])), data.draw(fractions), data.draw(fractions)
    ids = torch.zeros(len(z), 2, dtype=torch.int64)
    process = pipeline(frequency=0.3, presence=0.7, repetition=1.3, tau=1.7, k=k, p=p, min_p=least)
    expected = decoding.presence_penalty(decoding.frequency_penalty(z, ids, 0.3), ids, 0.7)
    expected = decoding.temperature(decoding.repetition_penalty(expected, ids, 1.3), 1.7)
    expected = decoding.top_p(decoding.top_k(expected, k), p) if p < 1 else decoding.top_k(expected, k)
    assert torch.equal(process(z, ids), decoding.min_p(expected, least))


# --- refusals ---


BAD_VALUES = [
    (lambda z: decoding.temperature(z, 0.0), "tau=0.0 must be a positive, finite"),
    (lambda z: decoding.temperature(z, float("nan")), "tau=nan"),
    (lambda z: decoding.top_k(z, 0), "k=0 must be at least 1"),
    (lambda z: decoding.top_k(z, 4), "k=4 must be at most the vocabulary of 3"),
    (lambda z: decoding.top_p(z, 0.0), r"p=0.0 must be above 0 and at most 1"),
    (lambda z: decoding.top_p(z, 1.5), "p=1.5"),
    (lambda z: decoding.min_p(z, float("nan")), "p=nan"),
    (lambda z: pipeline(tau=0), "tau=0"),
    (lambda z: pipeline(frequency=float("nan")), "frequency=nan"),
    (lambda z: pipeline(presence=INF), "presence=inf"),
    (lambda z: pipeline(repetition=0.0), "repetition=0.0"),
    (lambda z: pipeline(k=0), "k=0"),
    (lambda z: pipeline(p=0), "p=0"),
    (lambda z: pipeline(min_p=2), "min_p=2"),
    (lambda z: pipeline(k=7)(z, NO_IDS), "k=7 must be at most the vocabulary of 3"),
]


@pytest.mark.parametrize(("call", "message"), BAD_VALUES)
def test_refuses_values_with_the_numbers(unchecked, call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(row(0.5, 0.3, 0.2))


def test_refuses_a_k_that_is_not_an_integer(unchecked) -> None:
    with pytest.raises(TypeError, match="k=True must be an integer"):
        decoding.top_k(row(0.5, 0.5), True)


PROCESSORS = [
    lambda z: decoding.temperature(z, 2.0),
    lambda z: decoding.top_k(z, 1),
    lambda z: decoding.top_p(z, 0.5),
    lambda z: decoding.min_p(z, 0.5),
    lambda z: decoding.frequency_penalty(z, NO_IDS, 1.0),
    lambda z: decoding.presence_penalty(z, NO_IDS, 1.0),
    lambda z: decoding.repetition_penalty(z, NO_IDS, 2.0),
]
BAD_LOGITS = [
    (torch.tensor([[0.0, 1.0], [torch.nan, 1.0]]), ValueError, "row 1 of logits holds NaN at 1 of 2 tokens"),
    (torch.tensor([[0.0, 1.0], [-INF, -INF]]), ValueError, "row 1 of logits leaves no token: all 2 are -inf"),
    (torch.tensor([[0.0, INF]]), ValueError, r"row 0 of logits holds \+inf"),
    (torch.zeros(2, 5, 3), ValueError, r"got shape \(2, 5, 3\); take those of the last position"),
    (torch.zeros(1, 3, dtype=torch.int64), TypeError, r"dtype torch.int64 and shape \(1, 3\)"),
    ([[0.0, 1.0]], TypeError, "got list"),
]


@pytest.mark.parametrize("process", PROCESSORS)
@pytest.mark.parametrize(("z", "error", "message"), BAD_LOGITS)
def test_refuses_logits_that_allow_no_choice(unchecked, process, z, error, message: str) -> None:
    with pytest.raises(error, match=message):
        process(z)
