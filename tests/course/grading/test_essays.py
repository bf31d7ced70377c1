"""Essays on one page: what each student wrote below each question, whatever came back."""

import json

import pytest
from graded import ANSWERED, Judge, hand_in

from clearformer.course.grading.bundle import hand_out
from clearformer.course.grading.controller import grade_all
from clearformer.course.grading.essays import answers_to


def answered(assignment, folder, answer):
    """The hand-out with an answer in the place for it."""
    file, _ = hand_out(assignment, folder)
    notebook = json.loads(file.read_text())
    assert notebook["cells"][-1]["source"] == "*Your answer goes here.*"
    notebook["cells"][-1]["source"] = answer
    file.write_text(json.dumps(notebook))
    return file


def test_an_answer_is_what_stands_below_its_question(assignment, tmp_path):
    answer = "A score's spread grows.\n\n- names the spread\n\n$\\sqrt{d_k}$ <b>keeps</b> it."
    file = answered(assignment, tmp_path, answer)
    assert answers_to(assignment.essays, [file]) == {"why": answer}
    notebook = json.loads(file.read_text())
    notebook["cells"] += [{"cell_type": "markdown", "source": ["More", " of it."]}]
    notebook["cells"] += [{"cell_type": "markdown", "source": "## My own heading\n\nNot this."}]
    file.write_text(json.dumps(notebook))
    assert answers_to(assignment.essays, [file]) == {"why": f"{answer}\n\nMore of it."}


@pytest.mark.parametrize("nothing", ["", "*Your answer goes here.*", "  \n"])
def test_what_was_not_answered_is_empty(assignment, tmp_path, nothing):
    assert answers_to(assignment.essays, [answered(assignment, tmp_path, nothing)]) == {"why": ""}


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b'{"cells": [{"cell_type": "markdown", "source": 1}]}'])
def test_a_file_that_is_no_notebook_has_no_answer(assignment, tmp_path, content):
    file = tmp_path / "ada.ipynb"
    file.write_bytes(content)
    assert answers_to(assignment.essays, [file]) == {"why": ""}
    assert answers_to(assignment.essays, []) == answers_to(assignment.essays, [file, file]) == {"why": ""}


def test_the_page_has_every_student_and_nothing_of_theirs_is_markup(assignment, tmp_path):
    submissions = hand_in(tmp_path / "in", ada=ANSWERED)
    (submissions / "eve").mkdir()
    answered(assignment, submissions / "eve", "<script>alert(1)</script> & more")
    grade_all(assignment, submissions, tmp_path / "out", judge_with=Judge())
    page = (tmp_path / "out" / "essays.html").read_text()
    assert "<h3>ada</h3>\n<p>No answer.</p>" in page
    assert "<h3>eve</h3>\n<pre>&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</pre>" in page
    assert "<li>names the spread</li><li>names the softmax</li>" in page
