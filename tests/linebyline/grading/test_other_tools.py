"""Hand-outs in the tools they are for: their points are those of our own grader on the public cases.

The tools are installed in a folder of their own, because in the environment they would add buttons to JupyterLab.
"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from linebyline.grading.assignment import read_assignment
from linebyline.grading.bridges import for_nbgrader, for_otter
from tests.linebyline.grading.helpers import TOML, rows, write

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "_build" / "graders"
SETTINGS = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(map(str, [TOOLS, ROOT / "src"])),
    "PATH": os.pathsep.join([str(TOOLS / "bin"), os.environ["PATH"]]),
    "JUPYTER_PATH": str(TOOLS / "share" / "jupyter"),
}
RIGHT = "if not weights.any(): raise ValueError\\n    return weights @ values / weights.sum()"
TRADE = [
    ("raise NotImplementedError", RIGHT),
    ("doubled = ...", "doubled = [36 / 46, 9 / 46, 1 / 46]"),
    ("z - z.max()", "z - z.max(axis=-1, keepdims=True)"),
]

# Commands of a tool one after the other in one process: what they import takes longer than what they do.
NBGRADER = """
import sys
from nbgrader.apps import NbGraderApp
for command in sys.argv[1:]:
    NbGraderApp.launch_instance(command.split())
    NbGraderApp.clear_instance()
"""
OTTER = """
import sys
from otter.cli import cli
for command in sys.argv[1:]:
    cli(command.split(), standalone_mode=False)
"""

pytestmark = pytest.mark.slow


def tool(*command, at):
    """Run a tool as a terminal does; show what it said if it fails."""
    done = subprocess.run([sys.executable, *command], cwd=at, env=SETTINGS, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}\nThe tools come with make unit."


@pytest.fixture
def assignment(tmp_path):
    """Three exercises, one with points law by law, on the cases of check."""
    return read_assignment(write(tmp_path, TOML, seed="public"))


def answered(notebook, target, trades):
    text = notebook.read_text(encoding="utf-8")
    for old, new in trades:
        assert old in text
        text = text.replace(old, new, 1)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def ours(assignment, submissions):
    """Grade with our own command; give the points of each student by exercise."""
    folder = assignment.file.parent
    tool("-m", "clearformer", "grade", "a1.toml", str(submissions), "-o", "grades", "--isolate", "none", at=folder)
    book = rows(folder / "grades")
    return {student: {task.id: float(row[task.id]) for task in assignment.tasks} for student, row in book.items()}


def test_nbgrader_gives_the_points_of_our_grader(assignment, tmp_path):
    for_nbgrader(assignment, tmp_path)
    (tmp_path / "nbgrader_config.py").write_text("")
    tool("-c", NBGRADER, "generate_assignment a1", at=tmp_path)
    released = tmp_path / "release" / "a1" / "a1.ipynb"
    for student, trades in (("ada", TRADE), ("ben", TRADE[:2]), ("cem", [])):
        answered(released, tmp_path / "submitted" / student / "a1" / "a1.ipynb", trades)
    tool("-c", NBGRADER, "autograde a1", "generate_feedback a1", "export", at=tmp_path)
    exported = csv.DictReader((tmp_path / "grades.csv").read_text().splitlines())
    theirs = {row["student_id"]: float(row["score"]) for row in exported}
    points = {student: sum(given.values()) for student, given in ours(assignment, "submitted").items()}
    assert theirs == pytest.approx(points, abs=0.01)
    assert points["ada"] == 6 > points["ben"] > points["cem"] > 0
    for student in points:
        assert "attention.softmax" in (tmp_path / "feedback" / student / "a1" / "a1.html").read_text(encoding="utf-8")


def test_otter_grader_gives_the_points_of_our_grader(assignment, tmp_path):
    course = tmp_path / "course"
    notebook = for_otter(assignment, course)[0]
    theirs, runs = {}, []
    for student, trades in (("ada", TRADE), ("cem", [])):
        submission = tmp_path / "in" / f"{student}.ipynb"
        answered(notebook, submission, trades)
        (course / student).mkdir()
        runs.append(f"run {submission} -o {student}")
    tool("-c", OTTER, "generate -o autograder.zip", *runs, at=course)
    for student in ("ada", "cem"):
        tests = json.loads((course / student / "results.json").read_text())["tests"]
        theirs[student] = {test["name"].replace("-", "."): test["score"] for test in tests if "score" in test}
    points = ours(assignment, "in")
    assert theirs.keys() == points.keys()
    for student, given in theirs.items():
        assert given == pytest.approx(points[student], abs=0.01)
    assert sum(points["ada"].values()) > sum(points["cem"].values())
