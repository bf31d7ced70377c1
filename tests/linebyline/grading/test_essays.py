"""Essays on one page: what each student wrote below each question, whatever came back."""

import json

import pytest

from linebyline.grading.assignment import read_assignment
from linebyline.grading.bundle import hand_out
from linebyline.grading.feedback import answers_to
from tests.linebyline.grading.helpers import ANSWERED, TOML, write

TWICE = f"""{TOML}
[[essays]]
id = "again"
question = "Why are scores divided? Explain again."
points = 1

[[essays]]
id = "shorter"
question = "Why are scores"
points = 1
"""


def answered(assignment, folder, **answers):
    """The hand-out with answers in the places for them."""
    file, _ = hand_out(assignment, folder)
    notebook = json.loads(file.read_text())
    places = [cell for cell in notebook["cells"] if "goes here" in cell["source"]]
    for essay, cell in zip(assignment.essays, places, strict=True):
        cell["source"] = answers[essay.id]
    file.write_text(json.dumps(notebook))
    return file


def test_an_answer_is_what_stands_below_its_heading(assignment, tmp_path):
    answer = "## 1. Mine\n\n## 4. Too\n\nIt grows.\n\n- names the spread\n\n```\n## shape\n```\n\n"
    answer += f"## 3. {assignment.tasks[2].exercise.title} again\n\n$\\sqrt{{d_k}}$ <b>keeps</b> it."
    file = answered(assignment, tmp_path, why=answer)
    assert answers_to(assignment, [file]) == {"why": answer}
    notebook = json.loads(file.read_text())
    notebook["cells"] += [{"cell_type": "markdown", "source": ["More", " of it."]}]
    file.write_text(json.dumps(notebook))
    assert answers_to(assignment, [file]) == {"why": f"{answer}\n\nMore of it."}


def test_no_answer_is_taken_for_that_of_another_question(tmp_path):
    assignment = read_assignment(write(tmp_path, TWICE))
    answers = {"why": "One.", "again": "", "shorter": "Three."}
    assert answers_to(assignment, [answered(assignment, tmp_path, **answers)]) == answers


def test_an_exercise_that_was_struck_out_since_moves_no_answer(assignment, tmp_path):
    file = answered(assignment, tmp_path, why="One.")
    fewer = TOML.replace('[[exercises]]\nid = "attention.doubled"\n', "")
    assert answers_to(read_assignment(write(tmp_path / "fewer", fewer)), [file]) == {"why": "One."}


@pytest.mark.parametrize("text", ["## 4. 3 points\n\nIt is.", "Why are\nscores divided?\n\nIt is.\n\n## 5. 2 points"])
def test_a_heading_or_a_question_is_enough(assignment, tmp_path, text):
    (tmp_path / "ada.md").write_text(text)
    assert answers_to(assignment, [tmp_path / "ada.md"]) == {"why": "It is."}


@pytest.mark.parametrize("nothing", ["", "*Your answer goes here.*", "  \n"])
def test_what_was_not_answered_is_empty(assignment, tmp_path, nothing):
    assert answers_to(assignment, [answered(assignment, tmp_path, why=nothing)]) == {"why": ""}


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"cells": [{"cell_type": "markdown", "source": 1}]}'])
def test_a_file_that_is_no_notebook_has_no_answer(assignment, tmp_path, content):
    file = tmp_path / "ada.ipynb"
    file.write_bytes(content)
    assert answers_to(assignment, [file]) == {"why": ""}
    assert answers_to(assignment, []) == answers_to(assignment, [file, file]) == {"why": ""}


def test_the_page_has_every_student_and_nothing_of_theirs_is_markup(assignment, grade, tmp_path, out):
    submissions = tmp_path / "in"
    for name in ("bob", "eve", "half", "two"):
        (submissions / name).mkdir(parents=True)
    answered(assignment, submissions / "eve", why="<script>alert(1)</script> & more")
    answered(assignment, submissions / "half", why="half a \ud83d letter")
    for name in ("one.md", "other.md"):
        (submissions / "two" / name).write_text("## 4. 3 points\n\nIt is.")
    grade(ada=ANSWERED)
    page = (out / "essays.html").read_text()
    assert "<h3>ada</h3>\n<p>No answer; a .py file has no place for it.</p>" in page
    assert "<h3>bob</h3>\n<p>No answer; nothing was handed in.</p>" in page
    assert "<h3>eve</h3>\n<pre>&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</pre>" in page
    assert "<h3>half</h3>\n<pre>half a ? letter</pre>" in page
    assert "<h3>two</h3>\n<p>No answer; several files, of which none was taken: one.md, other.md.</p>" in page
    assert "<li>names the spread</li><li>names the softmax</li>" in page
