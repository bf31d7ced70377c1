"""Predicting and diagnosing: what is said of a wrong guess, and where the fault of a broken function is."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linebyline.exercises import Code, Diagnose, Pick, Predict, check, registry
from linebyline.exercises.core import Chapter, also, instead
from linebyline.exercises.core.predict import how_far
from tests.few import few

pytestmark = pytest.mark.usefixtures("computed_once")
EXERCISES = registry()
PREDICT = {id: exercise for id, exercise in EXERCISES.items() if isinstance(exercise, Predict)}
PICK = {id: exercise for id, exercise in EXERCISES.items() if isinstance(exercise, Pick)}
DIAGNOSE = {id: exercise for id, exercise in EXERCISES.items() if isinstance(exercise, Diagnose)}
GUESSES = [(id, remark) for id, exercise in (PREDICT | PICK).items() for remark in exercise.wrong_answers]
FACTS = dict(id="a.b", title="A title", difficulty="easy", points=1, minutes=5, may_use="NumPy", right=0)
POSITIVE = st.floats(1e-6, 1e6)


def predict(value, asks=("a number",), within=0.05, wrong_answers=None):
    compute = value if callable(value) else lambda rng: value
    return Predict(**FACTS, asks=asks, compute=compute, within=within, wrong_answers=wrong_answers or {})


# --- predictions of the book ---


@pytest.mark.parametrize(("id", "remark"), GUESSES)
def test_a_usual_wrong_guess_hears_its_own_remark(id, remark):
    report = check(id, EXERCISES[id].wrong_answers[remark])
    assert not report.passed
    assert report.remark == remark
    assert str(report).endswith(f"\n  {remark}")


@pytest.mark.parametrize("id", PREDICT)
def test_a_wrong_guess_hears_how_far_off_it_is(id):
    for guess in PREDICT[id].wrong_answers.values():
        for result in check(id, guess).results:
            assert result.ok or re.search(r"is too (high|low)( by |:)", result.message), result


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("id", PREDICT)
def test_random_cases_agree_well_within_what_is_allowed(id):
    """Otherwise an answer would be right for one seed and wrong for another."""
    exercise = PREDICT[id]
    values = np.array([exercise.values(seed) for seed in (None, 0, 1, 2, 3)])
    spread = values.max(axis=0) - values.min(axis=0)
    assert (spread <= 0.25 * exercise.within * np.where(values[0] == 0, 1, abs(values[0]))).all()


@pytest.mark.parametrize("id", PICK)
def test_there_is_a_remark_on_each_wrong_option_and_none_on_the_right_one(id):
    exercise = PICK[id]
    (right,) = {exercise.value(seed) for seed in (None, 0, 1, 2, 3)}
    assert sorted([right, *exercise.wrong_answers.values()]) == sorted(exercise.options)


# --- predicting ---


@pytest.mark.parametrize(
    ("got", "value", "words"),
    [
        (64, 32, "too high by a factor of 2"),
        (16, 32, "too low by a factor of 2"),
        (3, 2, "too high by a factor of 1.5"),
        (2.9, 2, "too high by 45 %"),
        (1.4, 2, "too low by 30 %"),
        (1000, 2, "too high by a factor of 500"),
        (2.001, 2, "too high by less than 1 %"),
        (-4, -2, "too low by a factor of 2"),
        (-1, -2, "too high by a factor of 2"),
        (-1, 2, "too low: it has the wrong sign"),
        (1, -2, "too high: it has the wrong sign"),
        (0, 2, "too low: it is 0"),
        (3, 0, "too high"),
        (-3, 0, "too low"),
    ],
)
def test_how_far_off_a_guess_is(got, value, words):
    assert how_far(got, value) == words


@few
@given(value=POSITIVE, factor=st.floats(1.5, 1e6), negative=st.booleans())
def test_the_named_factor_leads_from_the_value_to_the_guess(value, factor, negative):
    value = -value if negative else value
    found = re.fullmatch(r"too (high|low) by a factor of ([\d.]+)", how_far(1.0001 * factor * value, value))
    assert found
    assert found[1] == ("low" if negative else "high")
    assert float(found[2]) == pytest.approx(factor, rel=0.05)


def test_a_prediction_is_right_within_its_share_and_says_what_was_computed():
    report = predict(200.0).examine(209)
    assert str(report) == "a.b: 1 of 1 right, 1 of 1 points\n  holds  a number: 209 is right, computed 200"
    assert not predict(200.0).examine(211).passed
    assert predict(0.0).examine(0.04).passed
    assert not predict(0.0).examine(0.06).passed


def test_each_of_several_numbers_is_judged():
    two = predict([1.0, 4.0], asks=("first", "second"))
    assert str(two.examine([1, 8])) == (
        "a.b: 1 of 2 right, 0 of 1 points\n"
        "  holds  first: 1 is right, computed 1\n"
        "  FAILS  second: 8 is too high by a factor of 2"
    )
    assert two.examine(np.array([1, 4])).passed
    assert two.examine((1, 4)).points == 1


def test_a_remark_needs_all_numbers_of_the_guess():
    two = predict([1.0, 4.0], asks=("first", "second"), wrong_answers={"the other way round": (4, 1)})
    assert two.examine((4.01, 1)).remark == "the other way round"
    assert two.examine((4, 2)).remark == ""
    assert two.examine((1, 4)).remark == ""


def test_a_random_case_follows_the_seed():
    drawn = predict(lambda rng: rng.uniform(1, 2), within=1e-12)
    assert drawn.values(1) == drawn.values(1) != drawn.values(2)
    assert len({drawn.values(seed) for seed in (None, 0, 1, 2)}) == 4
    assert drawn.examine(drawn.values(7), seed=7).passed
    assert not drawn.examine(drawn.values(7)).passed


@pytest.mark.parametrize("answer", [None, "32", [1, 2, 3], [], 1j, True, np.nan, np.inf, {}, lambda: 32, [[1], [2, 3]]])
def test_what_is_no_number_is_refused_with_a_report(answer):
    report = predict(32.0).examine(answer)
    assert not report.passed
    assert report.results[0].message.startswith("expected a number, got ")
    two = predict([1.0, 2.0], asks=("first", "second")).examine(answer)
    assert all(result.message.startswith("expected 2 numbers, got ") for result in two.results)


def test_a_function_in_place_of_a_number_shows_no_address():
    assert predict(32.0).examine(lambda: 32).results[0].message == "expected a number, got a function"


def test_more_numbers_than_names_are_refused():
    with pytest.raises(ValueError, match=r"a\.b asks for 1 numbers and computes 2"):
        predict([1.0, 2.0]).values()


def test_a_pick_is_one_of_the_options():
    pick = Pick(**FACTS, asks="the color", options=("red", "blue"), compute=lambda rng: "red", wrong_answers={})
    assert str(pick.examine("red")) == "a.b: 1 of 1 right, 1 of 1 points\n  holds  the color: 'red' is right"
    assert str(pick.examine("blue")) == "a.b: 0 of 1 right, 0 of 1 points\n  FAILS  the color: 'blue' is wrong"
    assert pick.examine("green").results[0].message == "expected one of 'red', 'blue', got 'green'"
    assert not pick.examine(np.zeros(2)).passed


@pytest.mark.parametrize(("answer", "passed"), [("the keys", True), ("keys ", True), ("eys", False), ("both", False)])
def test_an_option_may_be_named_by_its_last_words_if_no_other_ends_so(answer, passed):
    options = ("that of the queries", "that of the keys", "not both", "both")
    pick = Pick(**FACTS, asks="one", options=options, compute=lambda rng: options[1], wrong_answers={})
    assert pick.examine(answer).passed == passed
    green = Pick(**FACTS, asks="the color", options=("red", "blue"), compute=lambda rng: "green", wrong_answers={})
    with pytest.raises(ValueError, match=r"a\.b computes 'green', which is none of \('red', 'blue'\)"):
        green.examine("red")


# --- diagnosing ---


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
@pytest.mark.parametrize("id", DIAGNOSE)
def test_the_fault_is_in_one_line(id, seed):
    """The function is wrong as it stands, and right when that line alone is fixed."""
    exercise = DIAGNOSE[id]
    assert not check(id, exercise.broken, seed=seed).passed
    fix = exercise.fixed.lines[exercise.fault].strip()
    assert exercise.broken.with_line(exercise.fault, fix).text == exercise.fixed.text


@pytest.mark.parametrize("id", DIAGNOSE)
def test_a_broken_function_still_obeys_some_law(id):
    """A function that does nothing right would need no diagnosis."""
    assert any(result.ok for result in check(id, DIAGNOSE[id].broken).results[:-1])


@pytest.mark.parametrize("id", DIAGNOSE)
def test_there_is_a_remark_of_its_own_on_each_line(id):
    remarks = DIAGNOSE[id].remarks
    assert len(remarks) >= 3
    assert len(set(remarks.values())) == len(remarks)


SCALE = """
def scale(x, factor):
    # the factor
    y = x + factor
!   y = x * factor
?   This adds,
?   and should multiply.

    return y
?   This is right.
"""
HEADLINE = "A title · easy · 1 point · 5 minutes · may use NumPy"


def scale(code=SCALE, headline=HEADLINE, **wrong):
    @Chapter("a", np=np).diagnose(headline, code, wrong=wrong)
    class scale:
        def multiplies(self, answer, rng):
            pass

    return scale


def test_a_declaration_says_what_the_page_says():
    exercise = scale(headline="B · hard · 2 points · 30 minutes · may use NumPy and `F`")
    facts = (exercise.id, exercise.difficulty, exercise.points, exercise.minutes, exercise.may_use, exercise.entry)
    assert facts == ("a.scale", "hard", 2, 30, "NumPy and `F`", "scale")
    with pytest.raises(ValueError, match=r"a\.scale: expected 'title · .*, got 'simple'"):
        scale(headline="simple")


def test_fix_and_remarks_are_beside_their_line():
    exercise = scale()
    assert exercise.fault == 2
    assert exercise.remarks == {2: "This adds, and should multiply.", 4: "This is right."}
    assert exercise.broken.lines[1:] == ["    # the factor", "    y = x + factor", "", "    return y"]
    assert (exercise.broken(3, 4), exercise.fixed(3, 4), exercise.right(3, 4)) == (7, 12, 12)
    with pytest.raises(ValueError, match=r"a\.scale: remarks on lines \[2\], choices are \[2, 4\]"):
        scale(SCALE.replace("?   This is right.\n", ""))
    with pytest.raises(ValueError, match="expected the code of one function, got 2 statements"):
        Code("import math\ndef f(x): return x")


def test_a_wrong_answer_changes_the_faulty_line_or_another():
    wrong = scale(
        subtracts="y = x - factor", too=also(4, "return -y"), only=instead(4, "return y * y"), own=max
    ).wrong_answers
    assert {name: answer(3, 4) for name, answer in wrong.items()} == {"subtracts": -1, "too": -12, "only": 49, "own": 4}


# The project has a function to write for each part, and no text of its own to ask about.
@pytest.mark.parametrize("chapter", sorted({id.split(".")[0] for id in EXERCISES} - {"own_decoder"}))
def test_every_chapter_asks_to_predict_and_to_diagnose(chapter):
    kinds = [type(exercise) for id, exercise in EXERCISES.items() if id.startswith(f"{chapter}.")]
    assert {Predict, Diagnose} <= set(kinds)
