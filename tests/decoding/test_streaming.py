"""The loop: each row of a batch comes out as it would alone; it ends at stop tokens and at the context."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.decoding import argmax, greedy_search, pipeline, stream
from tests.decoding.callables import hashed
from tests.few import few

VOCAB = 5
prompts = st.lists(st.lists(st.integers(0, VOCAB - 1), min_size=1, max_size=5), min_size=1, max_size=4)
stop_ids = st.sets(st.integers(0, VOCAB - 1), max_size=2)
seeds = st.integers(0, 50)


def counting(ids: torch.Tensor) -> torch.Tensor:
    """Always expect the next number, below 10."""
    return torch.nn.functional.one_hot((ids[:, -1] + 1) % 10, 10).float()


def steps(*arguments, **options) -> list[list[int]]:
    return [step.tolist() for step in stream(*arguments, sampler=argmax(), **options)]


# --- by hand ---


def test_unequal_prompts_and_stops_by_hand() -> None:
    # Row 0 starts at once and stops at 5; row 1 is two tokens longer, and has its own three.
    assert steps(counting, [[3], [7, 7, 1]], 3, stop_ids=[5]) == [[4, -1], [5, -1], [-1, 2], [-1, 3], [-1, 4]]


def test_each_call_has_one_token_more_from_the_shortest_prompt_on() -> None:
    asked = []

    def next_logits(ids):
        asked.append(ids.tolist())
        return counting(ids)

    steps(next_logits, [[1, 2], [5, 6, 9]], 2, stop_ids=[3])
    # Row 0 stops at once and is fed its stop token; row 1 meets its own 9 where 7 was likely.
    assert asked == [[[1, 2], [5, 6]], [[1, 2, 3], [5, 6, 9]], [[1, 2, 3, 3], [5, 6, 9, 0]]]


@pytest.mark.parametrize("stops", [[2, 4], (4, 2), {2, 4}])
def test_a_stop_token_in_the_prompt_stops_nothing(stops) -> None:
    assert greedy_search(counting, [[2, 2], [4, 2, 9]], 4, stop_ids=stops) == [[3, 4], [0, 1, 2]]


# --- invariants ---


@few
@given(prompts, st.integers(1, 6), stop_ids, seeds)
def test_a_batch_decodes_as_its_rows_alone(rows, max_new_tokens, stops, seed) -> None:
    next_logits, process = hashed(VOCAB, seed=seed), pipeline(frequency=0.7, repetition=1.5)
    options = {"processor": process, "stop_ids": stops}
    alone = [greedy_search(next_logits, [row], max_new_tokens, **options)[0] for row in rows]
    assert greedy_search(next_logits, rows, max_new_tokens, **options) == alone


def test_steps_are_lazy() -> None:
    calls = []

    def next_logits(ids):
        calls.append(ids.shape)
        return counting(ids)

    tokens = stream(next_logits, [[1]], 100, sampler=argmax())
    assert calls == []
    assert [next(tokens).item(), next(tokens).item()] == [2, 3]
    assert calls == [(1, 1), (1, 2)]


def test_inference_mode_is_on_inside_and_as_before_outside() -> None:
    inside, outside = [], []

    def next_logits(ids):
        inside.append(torch.is_inference_mode_enabled())
        return counting(ids)

    for tokens in stream(next_logits, [[1]], 3, sampler=argmax()):
        outside.append(torch.is_inference_mode_enabled() or tokens.is_inference() or not torch.is_grad_enabled())
    assert inside == [True] * 3 and outside == [False] * 3


def test_logits_of_an_ended_row_do_not_matter() -> None:
    def lost_after_five(ids):
        return counting(ids).masked_fill((ids[:, -1] == 5)[:, None], torch.nan)

    assert greedy_search(lost_after_five, [[4], [7]], 3, stop_ids=[5]) == [[5], [8, 9, 0]]
    assert greedy_search(lost_after_five, [[5, 6], [1]], 2) == [[7, 8], [2, 3]]  # nor in a prompt


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_the_choice_is_made_in_float32_or_wider(dtype) -> None:
    seen = []

    def choose(logits, ids):
        seen.append(logits.dtype)
        return logits.argmax(dim=-1)

    list(stream(lambda ids: counting(ids).to(dtype), [[1]], 1, sampler=choose))
    assert seen == [torch.float64 if dtype == torch.float64 else torch.float32]


def test_rows_end_with_the_context_of_the_model_and_keep_their_tokens() -> None:
    def next_logits(ids):
        assert ids.shape[1] <= 4
        return counting(ids)

    next_logits.context = 4
    assert greedy_search(next_logits, [[1], [1, 2, 3]], 9) == [[2, 3, 4, 5], [4, 5]]
    with pytest.raises(ValueError, match="a prompt has 5 tokens, and the context of the model is 4"):
        greedy_search(next_logits, [[1], [1, 2, 3, 4, 5]], 1)


# --- refusals, before the first step ---


BAD = [
    ({"prompts": []}, ValueError, "at least 1 prompt, got 0"),
    ({"prompts": [[1], []]}, ValueError, r"prompt 1 must be a sequence of at least 1 token, got shape \(0,\)"),
    ({"prompts": [[1, 2.0]]}, TypeError, "prompt 0 must hold integers, got dtype torch.float32"),
    ({"prompts": torch.tensor([1, 2])}, ValueError, r"prompt 0 must be a sequence .*, got shape \(\)"),
    ({"prompts": ["text"]}, TypeError, "prompt 0 must be a sequence of token ids, got str"),
    ({"prompts": [[[1, 2]]]}, ValueError, r"prompt 0 must be a sequence .*, got shape \(1, 2\)"),
    ({"prompts": [[1], [2, -3]]}, ValueError, "prompt 1 holds -3"),
    ({"max_new_tokens": 0}, ValueError, "max_new_tokens=0 must be at least 1"),
    ({"max_new_tokens": 2.5}, TypeError, "max_new_tokens=2.5 must be an integer, got float"),
    ({"stop_ids": 5}, TypeError, r"collection of token ids such as \(0,\), got int"),
    ({"stop_ids": [2.0]}, TypeError, "stop_ids must be integers, got 2.0"),
    ({"stop_ids": [-1]}, ValueError, "stop_ids hold -1"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), BAD)
def test_refuses_at_once(unchecked, wrong, error, message: str) -> None:
    options = {"prompts": [[1]], "max_new_tokens": 2, "sampler": argmax(), **wrong}
    with pytest.raises(error, match=message):
        stream(counting, **options)


# --- refusals in the loop ---

BAD_LOGITS = [
    (lambda ids: torch.full((2, 3), torch.nan), ValueError, r"row 0 of next_logits\(ids\) holds NaN at 3 of 3"),
    (lambda ids: torch.full((2, 3), -torch.inf), ValueError, "row 0 .* leaves no token: all 3"),
    (lambda ids: torch.zeros(2, 7, 3), ValueError, r"got shape \(2, 7, 3\); take those of the last position"),
    (lambda ids: torch.zeros(1, 3), ValueError, r"gave 1 rows for ids of shape \(2, 1\)"),
    (lambda ids: torch.zeros(2, 3, dtype=torch.int64), TypeError, "must hold floats, got dtype torch.int64"),
    (lambda ids: [[0.0]], TypeError, "got list"),
    (lambda ids: torch.zeros(2, 2), ValueError, "stop_ids hold 2, outside the vocabulary of 2 tokens"),
]


@pytest.mark.parametrize(("next_logits", "error", "message"), BAD_LOGITS)
def test_refuses_bad_logits(unchecked, next_logits, error, message: str) -> None:
    with pytest.raises(error, match=message):
        steps(next_logits, [[1], [1]], 2, stop_ids=[2])


@pytest.mark.parametrize("tokens", [torch.zeros(1, 1, dtype=torch.int64), torch.zeros(1), torch.zeros((), dtype=int)])
def test_refuses_a_choice_that_is_not_one_integer_a_row(tokens) -> None:
    with pytest.raises(ValueError, match=r"sampler must return int64 tokens of shape \(1,\), got"):
        list(stream(counting, [[1]], 2, sampler=lambda logits, ids: tokens))
