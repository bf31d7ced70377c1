"""The exercises: right answers pass, wrong ones are rejected, and nothing a reader writes breaks a report."""

import sys
from functools import cache

import numpy as np
import pytest
from right_answers import RIGHT, weighted_average

from clearformer import functional as F
from clearformer.course.exercises import Report, check, registry

EXERCISES = registry()
WRONG = [(id, mistake) for id, exercise in EXERCISES.items() for mistake in exercise.wrong_answers]


@cache
def first_report(id: str, mistake: str) -> Report:
    """What is said of a wrong answer on the public cases."""
    return check(id, EXERCISES[id].wrong_answers[mistake])


def unsolved(*arguments: object) -> None:
    raise NotImplementedError


# --- the registry ---


def test_the_registry_is_in_book_order_and_complete() -> None:
    assert list(EXERCISES) == list(RIGHT)
    for id, exercise in EXERCISES.items():
        assert exercise.id == id
        assert exercise.difficulty in {"easy", "medium", "hard"}
        assert exercise.points > 0
        assert exercise.minutes > 0
        assert len(exercise.wrong_answers) >= 3
        names = [law.name for law in exercise.laws]
        assert len(set(names)) == len(names)


def test_exercises_get_harder() -> None:
    order = ["easy", "medium", "hard"]
    for chapter in {id.split(".")[0] for id in EXERCISES}:
        ranks = [order.index(e.difficulty) for id, e in EXERCISES.items() if id.startswith(f"{chapter}.")]
        assert ranks == sorted(ranks)


# --- right and wrong answers ---


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize("id", EXERCISES)
def test_a_right_answer_passes(id: str, seed: int | None) -> None:
    report = check(id, RIGHT[id], seed=seed)
    assert report.passed, str(report)
    assert report.points == EXERCISES[id].points
    assert "FAILS" not in str(report)


@pytest.mark.parametrize(("id", "mistake"), WRONG)
def test_a_wrong_answer_is_rejected(id: str, mistake: str) -> None:
    drawn = {seed: check(id, EXERCISES[id].wrong_answers[mistake], seed=seed) for seed in (1, 2)}
    for seed, report in {None: first_report(id, mistake), **drawn}.items():
        assert not report.passed, f"{mistake!r} passes with seed {seed}"
        assert report.points == 0
        for result in report.results:
            assert result.ok or ("expected" in result.message and "got" in result.message), result


@pytest.mark.parametrize("id", EXERCISES)
def test_every_law_rejects_something(id: str) -> None:
    """A law that no wrong answer breaks is either idle or lacks the mistake it is meant for."""
    exercise = EXERCISES[id]
    results = [result for mistake in exercise.wrong_answers for result in first_report(id, mistake).results]
    broken = {result.name for result in results if not result.ok}
    assert {law.name for law in exercise.laws} <= broken


# --- reports ---


@pytest.mark.parametrize("id", EXERCISES)
def test_an_unsolved_exercise_is_reported(id: str) -> None:
    report = check(id, unsolved)
    assert not report.passed
    assert report.points == 0
    assert str(report) == f"{id}: not solved yet, 0 of {EXERCISES[id].points} points"


@pytest.mark.parametrize(
    "answer",
    [
        lambda *arguments: None,
        lambda *arguments: "a string",
        lambda *arguments: [[1, 2], [3]],
        lambda *arguments: (None, None),
        lambda *arguments: np.array([1j]),
        lambda *arguments: 1 / 0,
        lambda: None,
        None,
        sys.exit,
    ],
)
@pytest.mark.parametrize("id", EXERCISES)
def test_no_answer_breaks_the_report(id: str, answer) -> None:
    report = check(id, answer)
    assert not report.passed
    assert "FAILS" in str(report)


def test_a_report_reads_well() -> None:
    report = check("attention.score_scale", lambda sigma_q, sigma_k, d_k: 1 / d_k**0.5)
    assert isinstance(report, Report)
    assert (
        repr(report)
        == str(report)
        == "\n".join(
            [
                "attention.score_scale: 3 of 5 laws hold, 0 of 3 points",
                "  holds  a case worked by hand",
                "  FAILS  scaled scores have variance one, measured on 20,000 pairs: variance, sigma_q=2.0, "
                f"sigma_k=2.0, d_k=16: {report.results[1].message.split(': ')[1]}",
                "  FAILS  doubling either spread halves the factor: doubling sigma_q should halve it: "
                "expected 0.07216878, got 0.14433757",
                "  holds  four times the width halves the factor",
                "  holds  inputs are not modified",
            ]
        )
    )
    assert not hasattr(report, "_repr_html_")


def test_an_exception_is_named() -> None:
    report = check("attention.softmax", lambda z: z.soft)
    message = "expected a result, got AttributeError: 'numpy.ndarray' object has no attribute 'soft'"
    assert report.results[0].message == message


def test_a_shape_that_would_broadcast_is_no_answer() -> None:
    report = check("attention.weighted_average", lambda w, v: weighted_average(w, v)[None])
    assert report.results[0].message.endswith("expected shape (2,), got shape (1, 2)")


def test_reports_are_the_same_every_time() -> None:
    for id, mistake in WRONG:
        if mistake != "builds the Jacobian":  # its message says how much memory went, which may vary
            assert str(check(id, EXERCISES[id].wrong_answers[mistake])) == str(first_report(id, mistake))


def test_changed_arguments_are_named() -> None:
    def clears(q, k, v, mask):
        output, weights = F.scaled_dot_product_attention(q, k, v, mask)
        v[:], mask[:] = 0, False
        return output, weights

    (result,) = (result for result in check("attention.masked", clears).results if not result.ok)
    assert result.name == "inputs are not modified"
    assert result.message == "expected the arguments back as they were, got changes in argument 3, 4"


def test_an_answer_cannot_spoil_the_comparison() -> None:
    """A law compares with the arguments as they were, not with what the answer made of them."""

    def zeroes(weights, values):
        values[:] = 0
        return values.sum(axis=0)

    assert sum(not result.ok for result in check("attention.weighted_average", zeroes).results) >= 4


# --- refusals ---


def test_an_unknown_id_lists_near_ones() -> None:
    with pytest.raises(KeyError, match=r"no exercise 'attention\.sofmax'; did you mean attention\.softmax"):
        check("attention.sofmax", unsolved)
    with pytest.raises(KeyError, match=r"did you mean .*weighted_average, .*softmax_jacobian"):
        check("zzz", unsolved)
