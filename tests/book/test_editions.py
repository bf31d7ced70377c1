"""Laws of the editions: all come from one source, and a student never receives a solution."""

import build
import chapters
import pytest

from linebyline.chapters import chapter_of
from linebyline.exercises import Diagnose, registry


@pytest.fixture(scope="module")
def student():
    root = build.copy_source("student")
    return {page.stem: page.read_text(encoding="utf-8") for page in (root / "book").glob("*.md")}


def solution_lines(page):
    """Lines of code that stand in a page's solutions and nowhere else in it."""
    text = page.read_text(encoding="utf-8")
    kept = set(chapters.without_solutions(text).splitlines())
    return [line for line in text.splitlines() if line.startswith("    ") and line not in kept]


def test_student_edition_has_every_page_and_no_other(student):
    parts = chapters.parts()
    assert set(student) == {page for part in parts if part != chapters.TEACHING for page in parts[part]}


def test_nobody_tells_students_how_to_get_the_answers(student):
    text = "\n".join(student.values())
    assert [words for words in ("make instructor", "instructor edition", "clearformer grade") if words in text] == []


def code(notebook):
    return "\n".join(cell.source for cell in notebook.cells)


def test_students_get_no_line_of_a_solution(student):
    secret = {page: solution_lines(page) for page in chapters.executed()}
    assert sum(map(bool, secret.values())) > 20
    for page, lines in secret.items():
        assert "solution-start" not in student[page.stem]
        for text in (student[page.stem], code(chapters.notebook(page, solutions=False))):
            assert [line for line in lines if line in text.splitlines()] == []


@pytest.mark.parametrize("solutions", [True, False])
def test_notebooks_hold_no_part_that_only_a_page_can_draw(solutions):
    for page in chapters.executed():
        text = code(chapters.notebook(page, solutions=solutions))
        assert [mark for mark in ("{predict}", "{diagnose}", "% for") if mark in text] == []
        asked = {exercise.kind for id, exercise in registry().items() if chapter_of(id) == page.stem}
        assert ("raise NotImplementedError" in text) == ("write" in asked)
        assert solutions or "clearformer grade" not in text


def test_student_edition_holds_nothing_that_knows_what_is_right(student):
    text = "\n".join(student.values())
    assert "```{predict}" not in text
    assert "```{diagnose}" not in text
    in_page = [exercise for exercise in registry().values() if exercise.kind != "write"]
    assert text.count("Answer this one in the notebook.") == len(in_page) > 0
    for exercise in in_page:
        told = list(exercise.wrong_answers)
        if isinstance(exercise, Diagnose):
            told += [*exercise.remarks.values(), exercise.fixed.lines[exercise.fault]]
        assert [words for words in told if words in text] == []


def test_every_cell_of_the_instructors_page_runs(monkeypatch, unchecked):
    book = chapters.ROOT / "book"
    cells = [cell for cell in chapters.notebook(book / "instructor.md").cells if cell.cell_type == "code"]
    monkeypatch.chdir(book)
    names = {}
    for cell in cells:
        exec(cell.source, names)
    assert names["reading"] + names["working"] > 60


def test_instructor_edition_opens_the_solutions_and_adds_a_page():
    root = build.copy_source("instructor")
    assert chapters.parts(root)[chapters.TEACHING] == ["teaching", "instructor"]
    assert all(":class: dropdown" not in page.read_text(encoding="utf-8") for page in (root / "book").glob("*.md"))
