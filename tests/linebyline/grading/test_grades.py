"""Grades: a whole gradebook whatever happens, points by hand that stay, the same bytes from the same submissions."""

import csv
from datetime import UTC, datetime

import pytest

from linebyline.grading.assignment import read_assignment
from linebyline.grading.controller import grade_all
from linebyline.grading.gradebook import read_by_hand
from tests.linebyline.grading.helpers import ANSWERED, HEAD, IN_TIME, TOML, Judge, everything, hand_in, rows, write

LATE = datetime(2026, 10, 24, 12, tzinfo=UTC)


def fill_in(folder, of, **values):
    """Fill in columns of the row of a student, named with underscores for spaces."""
    book = list(csv.reader((folder / "gradebook.csv").read_text().splitlines()))
    row = next(row for row in book if row[0] == of)
    for column, value in values.items():
        row[book[0].index(column.replace("_", " "))] = value
    with (folder / "gradebook.csv").open("w", newline="") as file:
        csv.writer(file).writerows(book)


def test_a_row_a_student_and_points_an_exercise(assignment, grade, tmp_path):
    wrong = f"# wrong\nwrong = 1\n{ANSWERED}\nsoftmax = wrong"
    (tmp_path / "in" / "zoe").mkdir(parents=True)
    found = grade(ada=ANSWERED, bob="x = 1", eve=wrong)
    assert list(found) == ["ada", "bob", "eve", "zoe"]
    assert [found["ada"][task.id] for task in assignment.tasks] == ["1", "1", "4"]
    assert [row["total"] for row in found.values()] == ["6", "0", "0", "0"]
    assert "attention.softmax: no answer" in found["bob"]["flags"]
    assert "softmax is defined 2 times" in found["eve"]["flags"]
    assert "nothing was handed in" in found["zoe"]["flags"]
    assert (found["zoe"]["received"], found["ada"]["received"]) == ("", IN_TIME.isoformat())
    assert {row["of"] for row in found.values()} == {"9"}


@pytest.mark.parametrize(
    ("day", "factor", "points"), [(23, "1", "6"), (24, "0.9", "5.4"), (26, "0.7", "4.2"), (27, "0", "0")]
)
def test_late_work_loses_its_fraction(grade, tmp_path, day, factor, points):
    row = grade(when=datetime(2026, 10, day, 21, 59, tzinfo=UTC), ada=ANSWERED)["ada"]
    # From the 25th on, 21:59 in Greenwich is 22:59 in Berlin.
    assert (row["late factor"], row["total"]) == (factor, points)


@pytest.mark.parametrize(("days", "factor", "text"), [("0", "1", "In time."), ("2", "0.8", "Late by 2 days")])
def test_days_by_hand_replace_those_by_the_files_time(grade, tmp_path, out, days, factor, text):
    assert grade(when=LATE, ada=ANSWERED)["ada"]["days late"] == "1"
    fill_in(out, "ada", days_by_hand=days)
    row = grade()["ada"]
    assert [row[column] for column in ("days by hand", "days late", "late factor")] == [days, days, factor]
    assert row["total"] == f"{6 * float(factor):g}"
    assert text in (out / "feedback" / "ada.md").read_text()


def test_the_gradebook_of_another_assignment_is_refused_and_stays(grade, tmp_path, out):
    grade(ada=ANSWERED)
    before, judge = (out / "gradebook.csv").read_bytes(), Judge()
    other = read_assignment(write(tmp_path / "other", HEAD + '[[exercises]]\nid = "search.step"\n'))
    reason = "it has attention\\.weighted_average, and a1\\.toml asks for search\\."
    with pytest.raises(ValueError, match=rf"gradebook\.csv is of another assignment: {reason}"):
        grade(of=other, judge=judge)
    assert (out / "gradebook.csv").read_bytes() == before
    fill_in(out, "ada", essay_why="2")
    renamed = read_assignment(write(tmp_path / "renamed", TOML.replace('id = "why"', 'id = "because"')))
    with pytest.raises(ValueError, match=r"gradebook\.csv: ada: essay why = '2': a1\.toml asks for no such"):
        grade(of=renamed, judge=judge)
    assert judge.asked == []


def test_an_assignment_of_another_name_is_refused_even_with_the_same_exercises(assignment, grade, tmp_path):
    grade(ada=ANSWERED)
    other = read_assignment(assignment.file.rename(tmp_path / "a2.toml"))
    with pytest.raises(ValueError, match=r"out has the grades of a1\.toml, not of a2\.toml"):
        grade(of=other)


def test_a_number_that_a_spreadsheet_has_shortened_keeps_its_points(grade, tmp_path, out):
    grade(**{"0042": ANSWERED, "7": ANSWERED})
    fill_in(out, "0042", essay_why="2", student="42")
    assert {student: row["total"] for student, row in grade().items()} == {"0042": "8", "7": "6"}
    fill_in(out, "7", student="42")  # a row of its own takes nothing from the one that is there
    assert grade()["0042"]["total"] == "8"


def test_without_a_rule_nothing_is_said_of_late_work(grade, tmp_path, out):
    without = read_assignment(write(tmp_path, TOML.replace("[late]\npercent_per_day = 10\nlast_day = 3\n", "")))
    assert grade(of=without, when=LATE, ada=ANSWERED)["ada"]["total"] == "6"
    assert "Handed in by ada.\n" in (out / "feedback" / "ada.md").read_text()


def test_points_by_hand_survive_regrading(assignment, grade, tmp_path, out):
    grade(when=LATE, ada=ANSWERED)
    feedback = out / "feedback" / "ada.md"
    assert "## In your own words: 3 points, not read yet\n" in feedback.read_text()
    fill_in(out, "ada", essay_why="2,5", by_hand="-0.5", note="=appeal; granted")
    book = list(csv.reader((out / "gradebook.csv").read_text().splitlines()))
    book.append(["gone", *[""] * (len(book[0]) - 1)])
    book[2][book[0].index("by hand")] = "3"
    with (out / "gradebook.csv").open("w", newline="", encoding="utf-8-sig") as file:  # as spreadsheets save it
        csv.writer(file, delimiter=";").writerows(book)
    for _ in range(2):
        found = grade(student="ada")
        row = found["ada"]
        assert [row[column] for column in ("essay why", "by hand", "note")] == ["2.5", "-0.5", "'=appeal; granted"]
        assert (row["total"], found["gone"]["total"]) == ("7.15", "3")  # 0.9 (6 + 2.5) - 0.5
    assert "## In your own words: 2.5 of 3\n" in feedback.read_text()
    assert "## Together: 7.15 of 9\n\n-0.5 by hand.\n\n=appeal; granted\n" in feedback.read_text()
    assert read_by_hand(out / "gradebook.csv", assignment)["ada"]["note"] == "=appeal; granted"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        *((f"by hand\nada,{value}", "by hand = .*: expected a number of points") for value in ("two", "inf", "-1e9")),
        *((f"days by hand\nada,{value}", "expected a whole number of days from 0") for value in ("1.5", "-1", "1e9")),
        *((f"essay why\nada,{value}", "expected a number of points") for value in ("two", "nan")),
        *((f"essay why\nada,{value}", "expected 0 to 3 points; more can be added in 'by") for value in ("3.5", "-1")),
    ],
)
def test_what_is_wrong_in_a_gradebook_is_refused_before_anything_is_run(grade, tmp_path, out, content, reason):
    out.mkdir()
    (out / "gradebook.csv").write_text(f"student,{content}\n")
    judge = Judge()
    with pytest.raises(ValueError, match=rf"gradebook\.csv: ada: .*{reason}"):
        grade(judge=judge, ada=ANSWERED)
    (out / "gradebook.csv").write_bytes("student,note\nada,sch\xf6n\n".encode("cp1252"))
    with pytest.raises(ValueError, match=r"gradebook\.csv is not in UTF-8 \(.* at 20\): save it as 'CSV UTF-8'"):
        grade(judge=judge)
    (out / "gradebook.csv").write_text("name,points\n")
    with pytest.raises(ValueError, match="expected a gradebook"):
        grade(judge=judge)
    assert judge.asked == []


def test_what_is_forbidden_gets_no_points_and_says_what_it_was_worth(assignment, tmp_path, out):
    source = "import numpy\ndef weighted_average(w, v): return numpy.average(v, weights=w)"
    (record,) = grade_all(assignment, hand_in(tmp_path / "in", ada=source), out, judge_with=Judge())
    result = record["exercises"][0]
    assert (result["points"], result["earned"], result["status"]) == (0.0, 1.0, "forbidden")
    assert "forbidden: uses np.average" in rows(out)["ada"]["flags"]
    assert "ask if this is a mistake" in (out / "feedback" / "ada.md").read_text()


def test_what_is_used_beyond_what_is_allowed_is_flagged(grade, tmp_path):
    source = "from clearformer import functional as F\nimport numpy as np\n"
    source += "def weighted_average(w, v): return np.sum(F.softmax(w))\ndef softmax(z): return np.exp(F.softmax(z))"
    row = grade(ada=source)["ada"]
    assert row["flags"].count("uses F.softmax") == 2 and "np." not in row["flags"]
    assert row["attention.softmax"] == "4"


def test_two_runs_give_the_same_bytes_and_the_second_asks_no_judge(assignment, tmp_path, out):
    submissions = hand_in(tmp_path / "in", ada=ANSWERED, bob="def softmax(:")
    first, again, other = Judge(), Judge(), Judge()
    grade_all(assignment, submissions, out, judge_with=first)
    before = everything(out)
    grade_all(assignment, submissions, out, judge_with=again)
    grade_all(assignment, submissions, tmp_path / "other", judge_with=other, jobs=2)
    assert first.asked == other.asked == [["weighted_average", "doubled", "softmax"]]
    assert again.asked == []
    assert everything(out) == everything(tmp_path / "other") == before
    assert not list(out.rglob("*.part"))


def test_an_interrupted_run_continues_and_ends_with_the_same_bytes(assignment, grade, tmp_path, out):
    names = [f"s{number}" for number in range(6)]
    submissions = hand_in(tmp_path / "in", **dict.fromkeys(names, ANSWERED))
    grade_all(assignment, submissions, tmp_path / "whole", judge_with=Judge())

    class Stopped(Judge):
        def __call__(self, code, items):
            if len(self.asked) == 3:
                raise KeyboardInterrupt
            return super().__call__(code, items)

    with pytest.raises(KeyboardInterrupt):
        grade(judge=Stopped())
    found = rows(out)
    assert list(found) == names
    assert [row["total"] for row in found.values()] == ["6"] * 3 + ["0"] * 3
    assert "not graded yet" in found["s5"]["flags"]
    rest = Judge()
    grade(judge=rest)
    assert len(rest.asked) == 3
    assert everything(out) == everything(tmp_path / "whole")


@pytest.mark.parametrize("changed", ["seed", "submission", "time", "assignment"])
def test_what_has_changed_is_graded_again(assignment, grade, tmp_path, changed):
    judge = Judge()
    grade(judge=judge, ada=ANSWERED, bob=ANSWERED)
    if changed == "seed":
        write(tmp_path, seed="0")
    elif changed == "assignment":
        write(tmp_path, TOML.replace("points = 4", "points = 5"))
    else:
        hand_in(tmp_path / "in", IN_TIME.replace(hour=13), ada=ANSWERED if changed == "time" else f"{ANSWERED}\n")
    grade(of=read_assignment(assignment.file), judge=judge)
    assert len(judge.asked) == 2 + (1 if changed in ("submission", "time") else 2)


def test_one_submission_does_not_end_the_batch(grade, tmp_path):
    found = grade(ada="def softmax(z):\n    for x in z:\n        break", bob=ANSWERED)
    assert "not graded: OSError: no space left" in found["ada"]["flags"]
    assert found["bob"]["total"] == "6"


def test_one_student_is_graded_again_and_the_others_stay(grade, tmp_path):
    judge = Judge()
    grade(judge=judge, ada=ANSWERED, bob=ANSWERED)
    found = grade(judge=judge, student="bob")
    assert len(judge.asked) == 3
    assert [row["total"] for row in found.values()] == ["6", "6"]
    with pytest.raises(ValueError, match="nothing was handed in by 'eve'"):
        grade(student="eve")
    with pytest.raises(ValueError, match="expected 1 or more, got 0"):
        grade(jobs=0)
