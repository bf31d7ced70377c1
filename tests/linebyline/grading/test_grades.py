"""Grades: a whole gradebook whatever happens, points by hand that stay, the same bytes from the same submissions."""

import csv
from datetime import UTC, datetime

import pytest

from linebyline.grading.assignment import read_assignment
from linebyline.grading.controller import grade_all
from linebyline.grading.gradebook import read_by_hand
from tests.linebyline.grading.graded import ANSWERED, IN_TIME, TOML, Judge, everything, hand_in, rows, write


def test_a_row_a_student_and_points_an_exercise(assignment, tmp_path):
    submissions = hand_in(
        tmp_path / "in", ada=ANSWERED, bob="x = 1", eve=f"# wrong\nwrong = 1\n{ANSWERED}\nsoftmax = wrong"
    )
    (submissions / "zoe").mkdir()
    grade_all(assignment, submissions, tmp_path / "out", judge_with=Judge())
    found = rows(tmp_path / "out")
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
def test_late_work_loses_its_share(assignment, tmp_path, day, factor, points):
    submissions = hand_in(tmp_path / "in", datetime(2026, 10, day, 21, 59, tzinfo=UTC), ada=ANSWERED)
    grade_all(assignment, submissions, tmp_path / "out", judge_with=Judge())
    row = rows(tmp_path / "out")["ada"]
    # From the 25th on, 21:59 in Greenwich is 22:59 in Berlin.
    assert (row["late factor"], row["total"]) == (factor, points)


def fill_in(folder, of, **values):
    """Fill in columns of the row of a student, named with underscores for blanks."""
    book = list(csv.reader((folder / "gradebook.csv").read_text().splitlines()))
    row = next(row for row in book if row[0] == of)
    for column, value in values.items():
        row[book[0].index(column.replace("_", " "))] = value
    with (folder / "gradebook.csv").open("w", newline="") as file:
        csv.writer(file).writerows(book)


@pytest.mark.parametrize(("days", "factor", "told"), [("0", "1", "In time."), ("2", "0.8", "Late by 2 days")])
def test_days_by_hand_count_in_place_of_the_files_time(assignment, tmp_path, days, factor, told):
    out, submissions = tmp_path / "out", hand_in(tmp_path / "in", datetime(2026, 10, 24, 12, tzinfo=UTC), ada=ANSWERED)
    grade_all(assignment, submissions, out, judge_with=Judge())
    assert rows(out)["ada"]["days late"] == "1"
    fill_in(out, "ada", days_by_hand=days)
    grade_all(assignment, submissions, out, judge_with=Judge())
    row = rows(out)["ada"]
    assert [row[column] for column in ("days by hand", "days late", "late factor")] == [days, days, factor]
    assert row["total"] == f"{6 * float(factor):g}"
    assert told in (out / "feedback" / "ada.md").read_text()


def test_the_gradebook_of_another_assignment_is_refused_and_stays(assignment, tmp_path):
    other = write(tmp_path / "other", TOML.split("[[exercises]]")[0] + '[[exercises]]\nid = "search.step"\n')
    out, judge = tmp_path / "out", Judge()
    submissions = hand_in(tmp_path / "in", ada=ANSWERED)
    grade_all(assignment, submissions, out, judge_with=Judge())
    before = (out / "gradebook.csv").read_bytes()
    said = (
        r"gradebook\.csv is of another assignment: it has attention\.weighted_average, and a1\.toml asks for search\."
    )
    with pytest.raises(ValueError, match=said):
        grade_all(read_assignment(other), submissions, out, judge_with=judge)
    assert (out / "gradebook.csv").read_bytes() == before
    fill_in(out, "ada", essay_why="2")
    renamed = write(tmp_path / "renamed", TOML.replace('id = "why"', 'id = "because"'))
    with pytest.raises(ValueError, match=r"gradebook\.csv: ada: essay why = '2': a1\.toml asks for no such"):
        grade_all(read_assignment(renamed), submissions, out, judge_with=judge)
    assert judge.asked == []


def test_an_assignment_of_another_name_is_refused_even_with_the_same_exercises(assignment, tmp_path):
    out, submissions = tmp_path / "out", hand_in(tmp_path / "in", ada=ANSWERED)
    grade_all(assignment, submissions, out, judge_with=Judge())
    other = assignment.file.rename(tmp_path / "a2.toml")
    with pytest.raises(ValueError, match=r"out has the grades of a1\.toml, not of a2\.toml"):
        grade_all(read_assignment(other), submissions, out, judge_with=Judge())


def test_a_number_that_a_table_program_has_shortened_keeps_its_points(assignment, tmp_path):
    out, submissions = tmp_path / "out", hand_in(tmp_path / "in", **{"0042": ANSWERED, "7": ANSWERED})
    grade_all(assignment, submissions, out, judge_with=Judge())
    fill_in(out, "0042", essay_why="2", student="42")
    grade_all(assignment, submissions, out, judge_with=Judge())
    assert {student: row["total"] for student, row in rows(out).items()} == {"0042": "8", "7": "6"}
    fill_in(out, "7", student="42")  # a row of its own takes nothing from the one that is there
    grade_all(assignment, submissions, out, judge_with=Judge())
    assert rows(out)["0042"]["total"] == "8"


def test_who_set_no_rule_tells_nothing_of_late_work(tmp_path):
    without = TOML.replace("[late]\npercent_per_day = 10\nlast_day = 3\n", "")
    submissions = hand_in(tmp_path / "in", datetime(2026, 10, 25, 12, tzinfo=UTC), ada=ANSWERED)
    grade_all(read_assignment(write(tmp_path, without)), submissions, tmp_path / "out", judge_with=Judge())
    assert rows(tmp_path / "out")["ada"]["total"] == "6"
    assert "Handed in by ada.\n" in (tmp_path / "out" / "feedback" / "ada.md").read_text()


def test_points_by_hand_survive_regrading(assignment, tmp_path):
    submissions, out = hand_in(tmp_path / "in", datetime(2026, 10, 24, 12, tzinfo=UTC), ada=ANSWERED), tmp_path / "out"
    grade_all(assignment, submissions, out, judge_with=Judge())
    feedback = out / "feedback" / "ada.md"
    assert "## In your own words: 3 points, not read yet\n" in feedback.read_text()
    book = list(csv.reader((out / "gradebook.csv").read_text().splitlines()))
    for column, value in (("essay why", "2,5"), ("by hand", "-0.5"), ("note", "=appeal; granted")):
        book[1][book[0].index(column)] = value
    book.append(["gone", *[""] * (len(book[0]) - 1)])
    book[2][book[0].index("by hand")] = "3"
    with (out / "gradebook.csv").open("w", newline="", encoding="utf-8-sig") as file:  # as table programs save it
        csv.writer(file, delimiter=";").writerows(book)
    for _ in range(2):
        grade_all(assignment, submissions, out, student="ada", judge_with=Judge())
        row = rows(out)["ada"]
        assert [row[column] for column in ("essay why", "by hand", "note")] == ["2.5", "-0.5", "'=appeal; granted"]
        assert row["total"] == "7.15"  # 0.9 (6 + 2.5) - 0.5
        assert rows(out)["gone"]["total"] == "3"
    told = feedback.read_text()
    assert "## In your own words: 2.5 of 3\n" in told
    assert "## Together: 7.15 of 9\n\n-0.5 by hand.\n\n=appeal; granted\n" in told
    assert read_by_hand(out / "gradebook.csv", assignment)["ada"]["note"] == "=appeal; granted"


@pytest.mark.parametrize("value", ["two", "nan", "inf", "-1e9", "1e9"])
def test_points_by_hand_that_are_no_number_are_refused_before_anything_is_run(assignment, tmp_path, value):
    submissions, out, judge = hand_in(tmp_path / "in", ada=ANSWERED), tmp_path / "out", Judge()
    out.mkdir()
    (out / "gradebook.csv").write_text(f"student,by hand\nada,{value}\n")
    with pytest.raises(ValueError, match=rf"gradebook\.csv: ada: by hand = '{value}': expected a number"):
        grade_all(assignment, submissions, out, judge_with=judge)
    (out / "gradebook.csv").write_text(f"student,days by hand\nada,{value}\n")
    with pytest.raises(ValueError, match=r"days by hand = .*: expected a whole number of days from 0"):
        grade_all(assignment, submissions, out, judge_with=judge)
    (out / "gradebook.csv").write_text(f"student,essay why\nada,{value}\n")
    with pytest.raises(ValueError, match=r"essay why = .*: expected "):
        grade_all(assignment, submissions, out, judge_with=judge)
    (out / "gradebook.csv").write_bytes("student,note\nada,sch\xf6n\n".encode("cp1252"))
    with pytest.raises(ValueError, match=r"gradebook\.csv is not in UTF-8 \(.* at 20\): save it as 'CSV UTF-8'"):
        grade_all(assignment, submissions, out, judge_with=judge)
    (out / "gradebook.csv").write_text("name,points\n")
    with pytest.raises(ValueError, match="expected a gradebook"):
        grade_all(assignment, submissions, out, judge_with=judge)
    assert judge.asked == []


@pytest.mark.parametrize("value", ["3.5", "-1"])
def test_an_essay_has_no_more_than_its_points(assignment, tmp_path, value):
    submissions, out = hand_in(tmp_path / "in", ada=ANSWERED), tmp_path / "out"
    grade_all(assignment, submissions, out, judge_with=Judge())
    fill_in(out, "ada", essay_why=value)
    with pytest.raises(ValueError, match=rf"ada: essay why = '{value}': expected 0 to 3 points; more can be added in"):
        grade_all(assignment, submissions, out, judge_with=Judge())


def test_what_is_forbidden_gets_no_points_and_says_what_it_was_worth(assignment, tmp_path):
    source = "import numpy\ndef weighted_average(w, v): return numpy.average(v, weights=w)"
    (record,) = grade_all(assignment, hand_in(tmp_path / "in", ada=source), tmp_path / "out", judge_with=Judge())
    result = record["exercises"][0]
    assert (result["points"], result["earned"], result["status"]) == (0.0, 1.0, "forbidden")
    assert "forbidden: uses np.average" in rows(tmp_path / "out")["ada"]["flags"]
    assert "ask if this is a mistake" in (tmp_path / "out" / "feedback" / "ada.md").read_text()


def test_what_is_used_beyond_what_is_allowed_is_told(assignment, tmp_path):
    source = "from clearformer import functional as F\nimport numpy as np\n"
    source += "def weighted_average(w, v): return np.sum(F.softmax(w))\ndef softmax(z): return np.exp(F.softmax(z))"
    grade_all(assignment, hand_in(tmp_path / "in", ada=source), tmp_path / "out", judge_with=Judge())
    told = rows(tmp_path / "out")["ada"]
    assert told["flags"].count("uses F.softmax") == 2
    assert "np." not in told["flags"]
    assert told["attention.softmax"] == "4"


def test_two_runs_give_the_same_bytes_and_the_second_asks_no_judge(assignment, tmp_path):
    submissions = hand_in(tmp_path / "in", ada=ANSWERED, bob="def softmax(:")
    first, again, other = Judge(), Judge(), Judge()
    grade_all(assignment, submissions, tmp_path / "out", judge_with=first)
    before = everything(tmp_path / "out")
    grade_all(assignment, submissions, tmp_path / "out", judge_with=again)
    grade_all(assignment, submissions, tmp_path / "other", judge_with=other, jobs=2)
    assert first.asked == other.asked == [["weighted_average", "doubled", "softmax"]]
    assert again.asked == []
    assert everything(tmp_path / "out") == everything(tmp_path / "other") == before
    assert not list((tmp_path / "out").rglob("*.part"))


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(assignment, tmp_path):
    names = [f"s{number}" for number in range(6)]
    sources = dict.fromkeys(names, ANSWERED)
    submissions = hand_in(tmp_path / "in", **sources)
    grade_all(assignment, submissions, tmp_path / "whole", judge_with=Judge())

    class Stopped(Judge):
        def __call__(self, code, exercises):
            if len(self.asked) == 3:
                raise KeyboardInterrupt
            return super().__call__(code, exercises)

    with pytest.raises(KeyboardInterrupt):
        grade_all(assignment, submissions, tmp_path / "out", judge_with=Stopped())
    found = rows(tmp_path / "out")
    assert list(found) == names
    assert [row["total"] for row in found.values()] == ["6"] * 3 + ["0"] * 3
    assert "not graded yet" in found["s5"]["flags"]
    rest = Judge()
    grade_all(assignment, submissions, tmp_path / "out", judge_with=rest)
    assert len(rest.asked) == 3
    assert everything(tmp_path / "out") == everything(tmp_path / "whole")


@pytest.mark.parametrize("changed", ["seed", "submission", "time", "assignment"])
def test_what_has_changed_is_graded_again(tmp_path, changed):
    assignment, judge = read_assignment(write(tmp_path)), Judge()
    submissions = hand_in(tmp_path / "in", ada=ANSWERED, bob=ANSWERED)
    grade_all(assignment, submissions, tmp_path / "out", judge_with=judge)
    if changed == "seed":
        write(tmp_path, seed="0")
    elif changed == "assignment":
        write(tmp_path, assignment.file.read_text().replace("points = 4", "points = 5"))
    else:
        hand_in(submissions, IN_TIME.replace(hour=13), ada=ANSWERED if changed == "time" else f"{ANSWERED}\n")
    grade_all(read_assignment(assignment.file), submissions, tmp_path / "out", judge_with=judge)
    assert len(judge.asked) == 2 + (1 if changed in ("submission", "time") else 2)


def test_one_submission_does_not_end_the_batch(assignment, tmp_path):
    submissions = hand_in(tmp_path / "in", ada="def softmax(z):\n    for x in z:\n        break", bob=ANSWERED)
    grade_all(assignment, submissions, tmp_path / "out", judge_with=Judge())
    found = rows(tmp_path / "out")
    assert "not graded: OSError: no space left" in found["ada"]["flags"]
    assert found["bob"]["total"] == "6"


def test_one_student_is_graded_anew_and_the_others_stay(assignment, tmp_path):
    submissions, judge = hand_in(tmp_path / "in", ada=ANSWERED, bob=ANSWERED), Judge()
    grade_all(assignment, submissions, tmp_path / "out", judge_with=judge)
    grade_all(assignment, submissions, tmp_path / "out", judge_with=judge, student="bob")
    assert len(judge.asked) == 3
    assert [row["total"] for row in rows(tmp_path / "out").values()] == ["6", "6"]
    with pytest.raises(ValueError, match="nothing was handed in by 'eve'"):
        grade_all(assignment, submissions, tmp_path / "out", judge_with=judge, student="eve")
    with pytest.raises(ValueError, match="expected 1 or more, got 0"):
        grade_all(assignment, submissions, tmp_path / "out", judge_with=judge, jobs=0)
