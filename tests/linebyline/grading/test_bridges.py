"""Hand-outs for other tools: their cells, their points, and no solution."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import chapters
import nbformat
import pytest
import yaml

from linebyline.exercises import Diagnose, check, registry
from linebyline.grading.assignment import read_assignment
from linebyline.grading.bridges import for_github, for_nbgrader, for_otter, score
from linebyline.grading.cells import read_cells
from linebyline.grading.submission import answers_in
from tests.linebyline.grading.graded import TOML, write

LAWS = "\n".join(f'[[exercises]]\nid = "{id}"' for id in registry())
ESSAY = '\n[[essays]]\nid = "why"\nquestion = "Why?"\npoints = 3'


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The notebook of all exercises of the book and one essay."""
    folder = tmp_path_factory.mktemp("all")
    text = TOML.split("[[exercises]]")[0] + LAWS + ESSAY
    assignment = read_assignment(write(folder, text))
    (file,) = for_nbgrader(assignment, folder / "course")
    assert file == folder / "course/source/a1/a1.ipynb"
    return assignment, file


def marked(notebook):
    return [cell for cell in notebook.cells if "nbgrader" in cell.metadata]


def test_each_exercise_has_a_locked_cell_and_the_points_add_up(everything):
    assignment, file = everything
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    marks = [cell.metadata.nbgrader for cell in marked(notebook)]
    assert sum(mark.points for mark in marks) == assignment.points
    assert [mark.grade_id for mark in marks] == [*(id.replace(".", "-") for id in registry()), "essay-why"]
    assert [mark.locked for mark in marks] == [True] * len(registry()) + [False]
    assert all(re.fullmatch(r"[\w-]+", mark.grade_id) for mark in marks)


def test_a_locked_cell_asks_for_the_name_that_the_answer_before_it_binds(everything):
    assignment, file = everything
    cells = [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]
    names: dict = {}
    failed = 0
    for cell in cells:
        if "nbgrader" not in cell.metadata:
            exec(cell.source, names)
            continue
        with pytest.raises(AssertionError, match="points"):
            exec(cell.source, names)
        failed += 1
    assert failed == len(assignment.tasks)


def test_no_line_of_a_solution_is_in_it(everything):
    _, file = everything
    text = "\n".join("".join(cell["source"]) for cell in json.loads(file.read_text())["cells"])
    sources = [page.read_text(encoding="utf-8") for page in chapters.executed()]
    public = {line.strip() for source in sources for line in chapters.without_solutions(source).splitlines()}
    solved = {line.strip() for source in sources for line in source.splitlines()} - public
    assert {line for line in solved if len(line) > 8} & set(map(str.strip, text.splitlines())) == set()
    for exercise in registry().values():
        if isinstance(exercise, Diagnose):
            assert exercise.fixed.lines[exercise.fault] not in text


def test_points_law_by_law_are_those_of_the_judge():
    """The share of the laws that hold, by weight, if the first one does."""
    some = 0
    for id in ["attention.softmax", "attention.weighted_average"]:
        weights = [*(law.weight for law in registry()[id].laws), 1]
        for report in _wrong(id):
            held = sum(weight for weight, result in zip(weights, report.results, strict=True) if result.ok)
            expected = round(4 * held / sum(weights), 2) if report.results[0].ok else 0
            assert score(report, 4) == expected < 4
            some += expected > 0
    assert some >= 1


def _wrong(id):
    return [check(id, answer) for answer in registry()[id].wrong_answers.values()]


def test_the_solved_notebook_is_a_submission(tmp_path):
    assignment = read_assignment(write(tmp_path))
    (notebook,) = for_nbgrader(assignment, tmp_path)
    solved = notebook.read_text().replace("doubled = ...", "doubled = [1, 2, 3]")
    notebook.write_text(solved.replace("raise NotImplementedError", "return weights @ values"))
    answers = answers_in(read_cells(notebook), assignment.tasks)
    assert list(answers.entries) == [task.id for task in assignment.tasks]
    names: dict = {}
    exec(answers.code, names)
    assert names["doubled"] == [1, 2, 3]


def test_otter_sums_cases_to_the_points_of_the_judge(tmp_path):
    """Law by law where credit is by law, all or nothing elsewhere; otter-grader's own part is the decorator."""
    assignment = read_assignment(write(tmp_path))
    files = {file.stem: file.read_text() for file in for_otter(assignment, tmp_path / "course") if file.suffix == ".py"}
    assert sorted(files) == ["attention-doubled", "attention-softmax", "attention-weighted_average"]
    for id in ("attention.softmax", "attention.weighted_average"):
        cases: list = []
        decorator = SimpleNamespace(test_case=lambda points: lambda case: cases.append((points, case)))  # noqa: B023
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "otter.test_files", decorator)
            exec(files[id.replace(".", "-")], {})
        task = next(task for task in assignment.tasks if task.id == id)
        assert sum(points for points, _ in cases) == pytest.approx(task.points)
        for report, answer in zip(_wrong(id), registry()[id].wrong_answers.values(), strict=True):
            expected = score(report, task.points) if task.credit == "laws" else 0
            assert sum(points for points, case in cases if _holds(case, answer)) == pytest.approx(expected, abs=0.01)


def _holds(case, answer):
    try:
        case(answer)
    except AssertionError:
        return False
    return True


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A template repository, and its workflow."""
    folder = tmp_path_factory.mktemp("github")
    files = for_github(read_assignment(write(folder)), folder / "template")
    return folder / "template", files, yaml.safe_load(files[-1].read_text())


def test_a_template_repository_has_another_seed_than_the_secret_one(repository):
    root, files, workflow = repository
    names = ["a1.ipynb", "README.md", ".github/classroom/a1.toml", ".github/classroom/a1.seed"]
    assert files == [root / name for name in [*names, ".github/workflows/classroom.yml"]]
    assert read_assignment(files[2]).seed() is None
    assert workflow["permissions"] == {"contents": "read"}
    assert [step["uses"].split("@")[0] for step in workflow["jobs"]["run-autograding-tests"]["steps"][:2]] == [
        "actions/checkout",
        "actions/setup-python",
    ]


@pytest.mark.parametrize("solved", [False, True])
def test_the_steps_of_the_workflow_grade_a_repository(repository, tmp_path, solved):
    """Its lines are run as they are, but for the installation."""
    root, _, workflow = repository
    shutil.copytree(root, tmp_path / "student")
    notebook, toml = tmp_path / "student" / "a1.ipynb", tmp_path / "student" / ".github/classroom/a1.toml"
    head, exercise = toml.read_text().split("[[exercises]]")[:2]
    toml.write_text(f"{head}[[exercises]]{exercise}")
    if solved:
        right = "if not weights.any(): raise ValueError\\n    return weights @ values / weights.sum()"
        notebook.write_text(notebook.read_text().replace("raise NotImplementedError", right))
    bin = Path(sys.executable).parent
    settings = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    settings["PATH"] = f"{bin}{os.pathsep}{settings['PATH']}"
    steps = workflow["jobs"]["run-autograding-tests"]["steps"]
    runs = [step["run"] for step in steps if step.get("name") in ("Grade", "Points")]
    at = tmp_path / "student"
    command = ["bash", "-eo", "pipefail", "-c"]
    done = [subprocess.run([*command, run], cwd=at, env=settings, capture_output=True, text=True) for run in runs]
    assert [step.returncode for step in done] == [0, 0 if solved else 1]
    notices = [line.partition("::")[2].split("::", 1) for line in done[1].stdout.splitlines() if "::notice" in line]
    assert notices == [
        ["notice title=Autograding complete", f"Points {int(solved)}/1"],
        ["notice title=Autograding report", json.dumps({"totalPoints": float(solved), "maxPoints": 1.0})],
    ]
    assert f"| {int(solved)} | 1 |" in (tmp_path / "summary.md").read_text()
