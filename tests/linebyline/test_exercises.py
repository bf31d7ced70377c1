"""The exercises: right answers pass, wrong ones are rejected, and nothing a reader writes breaks a report."""

import contextlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from clearformer import functional as F
from linebyline.chapters import CHAPTERS, chapter_of
from linebyline.exercises import Law, Report, Write, check, registry

pytestmark = pytest.mark.usefixtures("computed_once")
EXERCISES = registry()
WITH_LAWS = {id: exercise for id, exercise in EXERCISES.items() if isinstance(exercise, Write)}
WRONG = [(id, mistake) for id, exercise in EXERCISES.items() for mistake in exercise.wrong_answers]


@cache
def first_report(id: str, mistake: str) -> Report:
    """What is said of a wrong answer on the public cases, by a test that is unchecked."""
    return check(id, EXERCISES[id].wrong_answers[mistake])


def unsolved(*arguments: object) -> None:
    raise NotImplementedError


# --- the registry ---


def test_the_registry_is_in_book_order_and_complete() -> None:
    for id, exercise in EXERCISES.items():
        assert exercise.id == id
        assert exercise.difficulty in {"easy", "medium", "hard"}
        assert exercise.points > 0
        assert exercise.minutes > 0
        assert exercise.may_use
        assert len(exercise.wrong_answers) >= 3


def test_an_exercise_waits_for_its_own_chapter_only() -> None:
    code = "import sys; from linebyline.exercises import check; print(check('attention.softmax', ...))"
    code += "; assert not {'torch', 'linebyline.exercises.search'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_laws_have_different_names() -> None:
    for exercise in WITH_LAWS.values():
        names = [law.name for law in exercise.laws]
        assert len(set(names)) == len(names)


def test_the_entry_is_what_the_starter_cell_checks() -> None:
    pages = (Path(__file__).parents[2] / "book").glob("*.md")
    checked = {match for page in pages for match in re.findall(r'^check\("([\w.]+)", (\w+)\)', page.read_text(), re.M)}
    assert {(id, exercise.entry) for id, exercise in WITH_LAWS.items()} <= checked
    assert EXERCISES["attention.score_spread"].entry == "score_spread"


@pytest.mark.parametrize("id", WITH_LAWS)
def test_a_law_draws_random_cases(id: str) -> None:
    """Otherwise another seed would give no case that a student has not seen."""

    def draws(law: Law) -> bool:
        rng = np.random.default_rng(0)
        before = rng.bit_generator.state
        law.test(EXERCISES[id].right, rng)
        return rng.bit_generator.state != before

    with np.errstate(all="ignore"):
        assert any(map(draws, WITH_LAWS[id].laws))


def test_exercises_get_harder() -> None:
    order = ["easy", "medium", "hard"]
    for chapter in CHAPTERS:
        ranks = [order.index(e.difficulty) for id, e in EXERCISES.items() if chapter_of(id) == chapter]
        assert ranks == sorted(ranks)


# --- right and wrong answers ---


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("id", EXERCISES)
def test_a_right_answer_passes(id: str, seed: int | None, request: pytest.FixtureRequest) -> None:
    if seed is not None:
        request.getfixturevalue("unchecked")  # shapes do not depend on the seed
    report = check(id, EXERCISES[id].right, seed=seed)
    assert report.passed, str(report)
    assert report.points == EXERCISES[id].points
    assert "FAILS" not in str(report)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("id", "mistake"), WRONG)
def test_a_wrong_answer_is_rejected(id: str, mistake: str) -> None:
    drawn = check(id, EXERCISES[id].wrong_answers[mistake], seed=1)
    for seed, report in {None: first_report(id, mistake), 1: drawn}.items():
        assert not report.passed, f"{mistake!r} passes with seed {seed}"
        assert report.points == 0
        for result in report.results if id in WITH_LAWS else ():
            assert result.ok or ("expected" in result.message and "got" in result.message), result


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("id", WITH_LAWS)
def test_every_law_rejects_something(id: str) -> None:
    """A law that no wrong answer breaks is either idle or lacks the mistake it is meant for."""
    exercise = WITH_LAWS[id]
    results = [result for mistake in exercise.wrong_answers for result in first_report(id, mistake).results]
    broken = {result.name for result in results if not result.ok}
    assert {law.name for law in exercise.laws} <= broken


# --- reports ---


@pytest.mark.parametrize("id", EXERCISES)
def test_an_unsolved_exercise_is_reported(id: str) -> None:
    report = check(id, unsolved if id in WITH_LAWS else ...)
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
    report = check("attention.weighted_average", lambda weights, values: values.mean(axis=0))
    assert isinstance(report, Report)
    assert repr(report) == str(report)
    assert str(report).splitlines() == [
        "attention.weighted_average: 3 of 6 laws hold, 0 of 1 points",
        "  FAILS  a case worked by hand: weights [1, 3] of the values [0, 4] and [8, 0]: expected [6. 1.], got [4. 2.]",
        "  holds  only the proportions of the weights matter",
        "  holds  equal weights give the mean",
        f"  FAILS  a weight of zero leaves its value out: {report.results[3].message}",
        "  FAILS  weights that are all zero are refused: weights that are all zero: "
        f"expected ValueError, got {report.results[4].message.split('got ')[1]}",
        "  holds  inputs are not modified",
    ]
    assert not hasattr(report, "_repr_html_")


def test_an_exception_is_named() -> None:
    report = check("attention.softmax", lambda z: z.soft)
    message = "expected a result, got AttributeError: 'numpy.ndarray' object has no attribute 'soft'"
    assert report.results[0].message == message


def test_a_shape_that_would_broadcast_is_no_answer() -> None:
    report = check("attention.weighted_average", lambda w, v: EXERCISES["attention.weighted_average"].right(w, v)[None])
    assert report.results[0].message.endswith("expected shape (2,), got shape (1, 2)")


def test_reports_are_the_same_every_time(computed_once: dict, unchecked: None) -> None:
    first = {(id, mistake): str(first_report(id, mistake)) for id, mistake in WRONG}
    computed_once.clear()
    for (id, mistake), said in first.items():
        if mistake != "builds the Jacobian":  # its message says how much memory went, which may vary
            assert str(check(id, EXERCISES[id].wrong_answers[mistake])) == said


def test_changed_arguments_are_named() -> None:
    def clears(q, k, v, mask):
        output, weights = F.scaled_dot_product_attention(q, k, v, mask)
        v[:], mask[:] = 0, False
        return output, weights

    (result,) = (result for result in check("attention.masked", clears).results if not result.ok)
    assert result.name == "inputs are not modified"
    assert result.message == "expected the arguments back as they were, got changes in argument 3, 4"


def test_seed_zero_is_a_seed() -> None:
    """It draws other cases than the public ones, and other seeds draw others still."""
    wrong = EXERCISES["attention.softmax_jacobian"].wrong_answers["forgets the row term"]
    messages = {str(check("attention.softmax_jacobian", wrong, seed=seed)) for seed in (None, 0, 1, 2)}
    assert len(messages) == 4
    with pytest.raises(ValueError, match="non-negative"):
        check("attention.softmax", unsolved, seed=-1)


def test_a_refusal_that_the_answer_caught_counts() -> None:
    """The function that the law hands over refuses a path of 100 tokens; the answer must not hide that."""
    right = EXERCISES["search.best_first"].right

    def hides(ask, stop):
        for path in ([1] * 100, []):
            with contextlib.suppress(Exception):
                ask(path)
        return right(ask, stop)

    results = {result.name: result for result in check("search.best_first", hides).results}
    assert results["it ends where paths need not"].message == "expected an end, got a path of 100 tokens"


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
