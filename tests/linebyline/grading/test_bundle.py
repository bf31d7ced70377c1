"""The hand-out: all that the exercises need is in it, and nothing that gives one away."""

import re

import chapters
import jupytext
import nbformat
import pytest

from linebyline.exercises import Diagnose, check, registry
from linebyline.grading import book
from linebyline.grading.assignment import read_assignment
from linebyline.grading.book import excerpt
from linebyline.grading.bridges import for_nbgrader
from linebyline.grading.bundle import hand_out
from linebyline.grading.cells import read_cells
from linebyline.grading.submission import answers_in
from tests.linebyline.grading.helpers import EVERY_EXERCISE, TOML, write

EXERCISES = registry().values()


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The hand-out of all exercises of the book, and its notebook."""
    folder = tmp_path_factory.mktemp("all")
    files = hand_out(read_assignment(write(folder, EVERY_EXERCISE)), folder / "out")
    return files, nbformat.read(files[0], as_version=4)


def of_kind(notebook, kind):
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def test_a_readme_of_something_else_is_not_written_over(assignment, tmp_path):
    files = hand_out(assignment, tmp_path / "out")
    before = [file.read_bytes() for file in files]
    assert hand_out(assignment, tmp_path / "out") == files  # its own may be written again, with the same bytes
    assert [file.read_bytes() for file in files] == before
    files[1].write_text("# My course\n")
    with pytest.raises(ValueError, match=r"README\.md is there already, of something else"):
        hand_out(assignment, tmp_path / "out")
    assert files[1].read_text() == "# My course\n" and files[0].read_bytes() == before[0]


def test_the_notebook_has_each_exercise_and_runs_as_it_is_handed_out(everything):
    files, notebook = everything
    nbformat.validate(notebook)
    assert [file.name for file in files] == ["a1.ipynb", "README.md"]
    text, names = "\n".join(of_kind(notebook, "code")), {}
    for exercise in EXERCISES:
        assert text.count(f'check("{exercise.id}"') == 1
        assert sum(f" {exercise.title}\n" in cell for cell in of_kind(notebook, "markdown")) == 1
    for source in of_kind(notebook, "code"):
        exec(source, names)
    assert names["check"] is check


@pytest.mark.parametrize("tool", ["none", "nbgrader"])
def test_no_line_of_a_solution_is_handed_out(everything, tmp_path, tool):
    """Lines that are in the solutions and nowhere else in the book; short ones reveal nothing."""
    files, _ = everything
    if tool == "nbgrader":
        files = for_nbgrader(read_assignment(write(tmp_path, EVERY_EXERCISE)), tmp_path)
    cells = [cell.source for cell in nbformat.read(files[0], as_version=4).cells]
    text = "\n".join([*cells, *(file.read_text() for file in files)])
    sources = [page.read_text(encoding="utf-8") for page in chapters.executed()]
    public = {line.strip() for source in sources for line in chapters.without_solutions(source).splitlines()}
    solved = {line.strip() for source in sources for line in source.splitlines()} - public
    distinctive = {line for line in solved if len(line) > 8 and "{solution-start}" not in line}
    assert len(distinctive) > 400 and not distinctive & set(map(str.strip, text.splitlines()))
    for exercise in EXERCISES:
        if exercise.kind != "write":  # an option is in the text, and the remark on it is not
            assert [remark for remark in exercise.wrong_answers if remark in text] == []
        if isinstance(exercise, Diagnose):
            assert exercise.fixed.lines[exercise.fault] not in text
            assert exercise.remarks[exercise.fault] not in text


def test_no_reference_is_left_open(everything):
    files, notebook = everything
    text = "\n".join([*of_kind(notebook, "markdown"), files[1].read_text()])
    assert re.findall(r"\{[a-z:]+\}`|\]\(|^```|^:\w+:|\$\$ \(", text, re.MULTILINE) == []
    tags = list(map(int, re.findall(r"\\tag\{(\d+)\}", text)))
    assert sorted(tags) == list(range(1, len(tags) + 1)) and len(tags) >= 15


def test_an_exercise_brings_the_functions_that_it_names():
    helpers = excerpt(registry()["tokenization.train"]).helpers
    assert [code.split("(")[0] for code in helpers] == ["def merged", "def learn"]
    assert "import torch" not in excerpt(registry()["attention.softmax"]).imports


def test_what_an_earlier_solution_defines_is_no_help(monkeypatch):
    """Otherwise an exercise that names such a function would bring the answer to the one before it."""
    block = """```{{exercise-start}} T
:label: attention-{id}
```
{text}
```{{code-cell}} ipython3
check("attention.{id}", ...)
```
```{{exercise-end}}
```
```{{solution-start}} attention-{id}
```
```{{code-cell}} ipython3
def first(): return 1
```
```{{solution-end}}
```
"""
    chapter = block.format(id="doubled", text="Write.") + block.format(id="score_spread", text="As `first` does.")
    monkeypatch.setattr(book, "_chapters", lambda: {"attention": chapter})
    assert excerpt(registry()["attention.score_spread"]).helpers == ()


def test_a_solved_hand_out_is_a_submission(assignment, tmp_path):
    notebook, readme = hand_out(assignment, tmp_path / "a1")
    doubled = 'check(\\"attention.doubled\\", {})'
    solved = notebook.read_text().replace(doubled.format("..."), doubled.format("[1, 2, 3]"))
    mean = "return np.average(values, axis=0, weights=weights)"
    notebook.write_text(solved.replace("raise NotImplementedError", mean))
    answers, names = answers_in(read_cells(notebook), assignment.tasks), {}
    assert list(answers.entries) == [task.id for task in assignment.tasks]
    exec(answers.code, names)
    assert names["weighted_average"]([1, 3], [0.0, 4.0]) == 3
    assert "Due on 23 October 2026, 23:59 (Europe/Berlin). Each day that has begun" in readme.read_text()
    assert "| | **all** | **9** |" in readme.read_text()
    text = notebook.read_text() + readme.read_text()
    assert "2026\\n" not in text and "a1.seed" not in text


@pytest.mark.parametrize("package", ["", "git+https://example.org/course"])
def test_the_first_cell_installs_what_is_missing(tmp_path, package):
    named = f'package = "{package}"\n' if package else ""
    notebook, readme = hand_out(read_assignment(write(tmp_path, named + TOML)), tmp_path / "out")
    first = of_kind(nbformat.read(notebook, as_version=4), "code")[0]
    assert ("%pip install" in first) == bool(package)
    assert first.endswith(f'"clearformer[course] @ {package}"' if package else 'repository of this course")')
    program = tmp_path / "ada.py"
    program.write_text(jupytext.writes(nbformat.read(notebook, as_version=4), fmt="py:percent"))
    assert read_cells(notebook).problems == read_cells(program).problems == ()
    text = readme.read_text()
    assert ("installs what is missing" in text) == bool(package) == ("needs the package" not in text)
    assert "a `.py` file has no place for essays" in text
    essays = named + TOML.split("[[exercises]]")[0] + "[[essays]]" + TOML.split("[[essays]]")[1]
    _, readme = hand_out(read_assignment(write(tmp_path, essays)), tmp_path / "out")
    assert "first cell" not in readme.read_text() and "needs the package" not in readme.read_text()


@pytest.mark.parametrize(
    "package", ['x\\" ; import os', "two words", "a\\nb", "clearformer", "./x.whl", 'https://x/\\"']
)
def test_an_address_that_is_code_is_refused(tmp_path, package):
    with pytest.raises(ValueError, match=r"package = .*: expected an address that pip installs from"):
        read_assignment(write(tmp_path, f'package = "{package}"\n{TOML}'))
