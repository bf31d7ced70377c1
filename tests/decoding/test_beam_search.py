"""Beam search: against every sequence there is, against a plain list of lists, and what it refuses."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.decoding import beam_search, greedy_search
from tests.decoding.callables import Remembering, hashed, tree
from tests.few import few

VOCAB = 3
PROMPT = [0]
seeds, lengths, penalties = st.integers(0, 10_000), st.integers(1, 5), st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
stop_ids = st.sets(st.integers(0, VOCAB - 1), max_size=2)


def log_probabilities(next_logits, so_far: list[int]) -> list[float]:
    return next_logits(torch.tensor([so_far]))[0].double().log_softmax(-1).tolist()


def log_probability(next_logits, tokens: list[int]) -> float:
    steps = range(len(tokens))
    return sum(log_probabilities(next_logits, PROMPT + tokens[:t])[tokens[t]] for t in steps)


def every_sequence(next_logits, n: int, length_penalty: float, stops=()) -> list[tuple[list[int], float]]:
    """All sequences that stop, or are n long, best first."""
    found = []
    for tokens in itertools.chain(*(itertools.product(range(VOCAB), repeat=length) for length in range(1, n + 1))):
        stopped = [token in stops for token in tokens]
        if not any(stopped[:-1]) and (stopped[-1] or len(tokens) == n):
            found.append((list(tokens), log_probability(next_logits, list(tokens)) / len(tokens) ** length_penalty))
    return sorted(found, key=lambda pair: -pair[1])


def plain_beam_search(next_logits, n: int, n_beams: int, length_penalty: float, stops) -> list[tuple[list[int], float]]:
    """The definition, with lists, and without ever ending early."""
    beams, pool = [([], 0.0)], []
    for length in range(1, n + 1):
        continued = [
            ([*tokens, token], total + step)
            for tokens, total in beams
            for token, step in enumerate(log_probabilities(next_logits, PROMPT + tokens))
            if step > -math.inf
        ]
        continued.sort(key=lambda pair: -pair[1])
        ends = [length == n or tokens[-1] in stops for tokens, _ in continued]
        finished = [pair for pair, end in zip(continued[:n_beams], ends, strict=False) if end]
        pool += [(tokens, total / length**length_penalty) for tokens, total in finished]
        pool = sorted(pool, key=lambda pair: -pair[1])[:n_beams]
        beams = [pair for pair, end in zip(continued, ends, strict=True) if not end][:n_beams]
    return pool


def same(got, expected) -> None:
    assert [list(tokens) for tokens, _ in got] == [tokens for tokens, _ in expected]
    assert [score for _, score in got] == pytest.approx([score for _, score in expected], rel=1e-10)


# --- by hand ---


# Token 0 stops. Alone it has probability .5, and 1 1 0 has .4 * .8 * .75 = .24, so the larger mean of logarithms.
STOPPING = {(): (0.5, 0.4, 0.1), (1,): (0.1, 0.8, 0.1), (2,): (0.4, 0.3, 0.3)}
STOPPING |= {(1, 1): (0.75, 0.15, 0.1), (1, 2): (0.4, 0.3, 0.3)}


@pytest.mark.parametrize(("length_penalty", "tokens", "probability"), [(0.0, [0], 0.5), (1.0, [1, 1, 0], 0.24)])
def test_length_penalty_weighs_short_against_long(length_penalty: float, tokens, probability: float) -> None:
    found = beam_search(tree(STOPPING), PROMPT, 3, n_beams=2, length_penalty=length_penalty, stop_ids=[0])
    assert found[0].tokens == tokens
    assert found[0].score == pytest.approx(math.log(probability) / len(tokens) ** length_penalty)


# --- against every sequence, and against the definition ---


@few
@given(seeds, st.integers(1, 3), penalties, stop_ids)
def test_enough_beams_find_every_sequence(seed, n, length_penalty, stops) -> None:
    next_logits = hashed(VOCAB, seed=seed)
    got = beam_search(next_logits, PROMPT, n, n_beams=VOCAB**n, length_penalty=length_penalty, stop_ids=stops)
    same(got, every_sequence(next_logits, n, length_penalty, stops))


@given(seeds, lengths, st.integers(1, 5), penalties, stop_ids, st.sampled_from([0.0, 0.4]))
def test_ending_early_loses_nothing(seed, n, n_beams, length_penalty, stops, masked) -> None:
    next_logits = hashed(VOCAB, seed=seed, masked=masked)
    got = beam_search(next_logits, PROMPT, n, n_beams=n_beams, length_penalty=length_penalty, stop_ids=stops)
    same(got, plain_beam_search(next_logits, n, n_beams, length_penalty, stops))


# --- invariants ---


@few
@given(seeds, lengths, stop_ids)
def test_one_beam_that_counts_no_length_is_greedy(seed, n, stops) -> None:
    next_logits = hashed(VOCAB, seed=seed)
    (only,) = beam_search(next_logits, PROMPT, n, n_beams=1, length_penalty=0.0, stop_ids=stops)
    assert [only.tokens] == greedy_search(next_logits, [PROMPT], n, stop_ids=stops)


@few
@given(seeds, lengths, st.integers(1, 5), stop_ids)
def test_a_memory_is_told_where_the_beams_went(seed, n, n_beams, stops) -> None:
    next_logits = Remembering(hashed(VOCAB, seed=seed))
    found = beam_search(next_logits, PROMPT, n, n_beams=n_beams, stop_ids=stops)
    assert found == beam_search(next_logits.next_logits, PROMPT, n, n_beams=n_beams, stop_ids=stops)


def test_the_search_ends_when_nothing_can_win() -> None:
    calls = []

    def next_logits(ids):  # token 0 stops, and is nearly certain
        calls.append(ids.shape[1])
        return torch.tensor([[9.0, 0.0, 0.0]]).expand(len(ids), 3)

    assert beam_search(next_logits, PROMPT, 50, n_beams=1, stop_ids=[0], length_penalty=0.0)[0].tokens == [0]
    assert calls == [1]


def test_beams_end_with_the_context_and_are_returned() -> None:
    next_logits = hashed(VOCAB)
    expected = beam_search(next_logits, PROMPT, 4, n_beams=3)
    next_logits.context = 4
    assert beam_search(next_logits, PROMPT, 50, n_beams=3) == expected


# --- refusals ---

BAD = [
    ({"prompt": []}, ValueError, "prompt 0 must be a sequence of at least 1 token"),
    ({"max_new_tokens": 0}, ValueError, "max_new_tokens=0"),
    ({"n_beams": 0}, ValueError, "n_beams=0 must be at least 1"),
    ({"n_beams": 2.0}, TypeError, "n_beams=2.0 must be an integer"),
    ({"length_penalty": math.nan}, ValueError, "length_penalty=nan"),
    ({"stop_ids": [3]}, ValueError, "stop_ids hold 3, outside the vocabulary of 3"),
    ({"next_logits": lambda ids: torch.full((1, 3), math.nan)}, ValueError, "holds NaN at 3 of 3"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), BAD)
def test_refuses_with_the_numbers(unchecked, wrong, error, message: str) -> None:
    arguments = {"next_logits": hashed(VOCAB), "prompt": PROMPT, "max_new_tokens": 2, "n_beams": 2, **wrong}
    with pytest.raises(error, match=message):
        beam_search(**arguments)
