"""Hand-outs for other tools: their cells, their points, and workflows that run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import yaml

from linebyline.exercises import check, registry
from linebyline.grading.assignment import read_assignment
from linebyline.grading.bridges import for_github, for_nbgrader, for_otter, score
from tests.linebyline.grading.helpers import EVERY_EXERCISE, write

ESSAY = '\n[[essays]]\nid = "why"\nquestion = "Why?"\npoints = 3'


def test_each_exercise_has_a_locked_cell_for_the_name_that_its_answer_binds(tmp_path):
    assignment = read_assignment(write(tmp_path, EVERY_EXERCISE + ESSAY))
    (file,) = for_nbgrader(assignment, tmp_path / "course")
    assert file == tmp_path / "course/source/a1/a1.ipynb"
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    marks = [cell.metadata.nbgrader for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert sum(mark.points for mark in marks) == assignment.points
    assert [mark.grade_id for mark in marks] == [*(id.replace(".", "-") for id in registry()), "essay-why"]
    assert [mark.locked for mark in marks] == [True] * len(registry()) + [False]
    names: dict = {}
    for cell in notebook.cells:
        if cell.cell_type == "code" and "nbgrader" in cell.metadata:
            with pytest.raises(AssertionError, match="points"):
                exec(cell.source, names)
        elif cell.cell_type == "code":
            exec(cell.source, names)


def test_points_law_by_law_are_those_of_the_judge():
    """The fraction of the laws that hold, by weight, if the first one does."""
    earned = []
    for id in ["attention.softmax", "attention.weighted_average"]:
        weights = [*(law.weight for law in registry()[id].laws), 1]
        for report in _wrong(id):
            held = sum(weight for weight, result in zip(weights, report.results, strict=True) if result.ok)
            earned.append(round(4 * held / sum(weights), 2) if report.results[0].ok else 0)
            assert score(report, 4) == earned[-1] < 4
    assert any(earned)


def _wrong(id):
    return [check(id, answer) for answer in registry()[id].wrong_answers.values()]


def test_otter_sums_cases_to_the_points_of_the_judge(assignment, tmp_path):
    """Law by law where credit is by law, all or nothing elsewhere; otter-grader's own part is the decorator."""
    files = {file.stem: file.read_text() for file in for_otter(assignment, tmp_path / "course") if file.suffix == ".py"}
    assert sorted(files) == ["attention-doubled", "attention-softmax", "attention-weighted_average"]
    for task in (assignment.tasks[0], assignment.tasks[2]):
        cases: list = []
        decorator = SimpleNamespace(test_case=lambda points: lambda case: cases.append((points, case)))  # noqa: B023
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, "otter.test_files", decorator)
            exec(files[task.id.replace(".", "-")], {})
        assert sum(points for points, _ in cases) == pytest.approx(task.points)
        for report, answer in zip(_wrong(task.id), registry()[task.id].wrong_answers.values(), strict=True):
            expected = score(report, task.points) if task.credit == "laws" else 0
            assert sum(points for points, case in cases if _holds(case, answer)) == pytest.approx(expected, abs=0.01)


def _holds(case, answer):
    try:
        case(answer)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("solved", [False, True])
def test_the_workflow_of_a_template_repository_grades_it_without_the_secret_seed(assignment, tmp_path, solved):
    """Its lines are run as they are, except for the installation."""
    files = for_github(assignment, tmp_path / "template")
    names = ["a1.ipynb", "README.md", ".github/classroom/a1.toml", ".github/classroom/a1.seed"]
    assert files == [tmp_path / "template" / name for name in [*names, ".github/workflows/classroom.yml"]]
    assert read_assignment(files[2]).seed() is None
    workflow = yaml.safe_load(files[-1].read_text())
    steps = workflow["jobs"]["run-autograding-tests"]["steps"]
    assert workflow["permissions"] == {"contents": "read"}
    assert [step["uses"].split("@")[0] for step in steps[:2]] == ["actions/checkout", "actions/setup-python"]
    student = shutil.copytree(tmp_path / "template", tmp_path / "student")
    notebook, toml = student / "a1.ipynb", student / ".github/classroom/a1.toml"
    head, exercise = toml.read_text().split("[[exercises]]")[:2]
    toml.write_text(f"{head}[[exercises]]{exercise}")
    if solved:
        right = "if not weights.any(): raise ValueError\\n    return weights @ values / weights.sum()"
        notebook.write_text(notebook.read_text().replace("raise NotImplementedError", right))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PATH": path}
    runs = [step["run"] for step in steps if step.get("name") in ("Grade", "Points")]
    command = ["bash", "-eo", "pipefail", "-c"]
    done = [subprocess.run([*command, run], cwd=student, env=settings, capture_output=True, text=True) for run in runs]
    assert [step.returncode for step in done] == [0, 0 if solved else 1]
    notices = [line.partition("::")[2].split("::", 1) for line in done[1].stdout.splitlines() if "::notice" in line]
    assert notices == [
        ["notice title=Autograding complete", f"Points {int(solved)}/1"],
        ["notice title=Autograding report", json.dumps({"totalPoints": float(solved), "maxPoints": 1.0})],
    ]
    assert f"| {int(solved)} | 1 |" in (tmp_path / "summary.md").read_text()
