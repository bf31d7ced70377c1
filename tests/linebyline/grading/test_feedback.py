"""What leaves the machine: feedback without markup of a program, and files in the forms of other systems."""

import csv
import json
from html.parser import HTMLParser

import pytest

from linebyline.exercises import registry
from linebyline.grading import controller
from linebyline.grading.controller import grade_all
from linebyline.grading.files import as_csv
from linebyline.grading.gradebook import read_by_hand
from tests.linebyline.grading.helpers import ANSWERED, Judge, hand_in, rows


def test_the_record_names_versions_and_hides_the_seed(grade, out):
    grade(ada=ANSWERED)
    record = json.loads((out / "record.json").read_text())
    assert set(record) == {"file", "assignment", "seed", "isolation", "versions", "submissions", "written"}
    assert record["versions"] == controller.versions()
    assert '"2026"' not in json.dumps(record)
    for file in (out / "feedback").iterdir():
        assert record["seed"] not in file.read_text()


def test_feedback_is_one_page_in_which_nothing_of_a_program_is_markup(grade, out):
    grade(eve="wrong = 1\ndef softmax(z): return wrong")
    page = (out / "feedback" / "eve.html").read_text()
    assert "fails: a law <code>expected &lt;b&gt;, got `1`</code>" in page
    assert "- fails: a law: `expected <b>, got '1'`" in (out / "feedback" / "eve.md").read_text()

    class Balanced(HTMLParser):
        stack: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag, attributes):
            assert not {"src", "href"} & set(dict(attributes))
            if tag != "meta":
                self.stack.append(tag)

        def handle_endtag(self, tag):
            assert self.stack.pop() == tag

    Balanced().feed(page)
    assert Balanced.stack == []


def test_files_for_other_systems(grade, out):
    grade(**{"Eve Lee_17_assignsubmission_file": ANSWERED, "ada_18_4711_a1": ANSWERED})
    moodle = (out / "moodle.csv").read_text().splitlines()
    # Without the last column Moodle takes nothing.
    assert moodle[0] == "Identifier,Grade,Maximum Grade,Last modified (grade)"
    assert moodle[1:] == ["Participant 17,6,9,", "Participant 18,6,9,"]
    canvas = list(csv.reader((out / "canvas.csv").read_text().splitlines()))
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention by hand"]
    assert [(row[1], row[5]) for row in canvas[1:]] == [("", "9"), ("17", "6"), ("18", "6")]


def test_gradescope_gets_one_student_with_the_time_that_it_knows(assignment, tmp_path):
    box = hand_in(tmp_path / "submission", a1=ANSWERED)
    (tmp_path / "submission_metadata.json").write_text(
        json.dumps({"created_at": "2026-10-24T14:22:32.365935-07:00", "users": [{"id": 1234}]})
    )
    grade_all(assignment, box, tmp_path / "results", judge_with=Judge(), gradescope=True)
    results = json.loads((tmp_path / "results" / "results.json").read_text())
    assert results["score"] == 5.4
    assert results["output"].splitlines()[1] == "This was graded without isolation."
    assert [(test["score"], test["max_score"]) for test in results["tests"]] == [(1, 1), (1, 1), (4, 4)]
    assert [test["name"] for test in results["tests"]] == [registry()[task.id].title for task in assignment.tasks]
    assert list(rows(tmp_path / "results")) == ["1234"]


@pytest.mark.parametrize("cell", ["=1+1", "+1-1", "-x", "@sum", "'quoted", "plain", "-1.5"])
def test_no_cell_is_a_formula(tmp_path, assignment, cell):
    (written,) = csv.reader(as_csv([[cell]]).splitlines())
    assert not written[0].startswith(("=", "+", "@", "-x"))
    file = tmp_path / "book.csv"
    file.write_text(as_csv([["student", "note"], ["ada", cell]]))
    assert read_by_hand(file, assignment)["ada"]["note"] == cell
