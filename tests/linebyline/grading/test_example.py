"""The example course: what stands in its folder of grades is what grading it gives."""

import csv
from functools import partial
from pathlib import Path

import pytest

from linebyline.grading.assignment import read_assignment
from linebyline.grading.controller import grade_all
from linebyline.grading.isolation import Limits
from linebyline.grading.judge import judge_in_process

COURSE = Path(__file__).parents[3] / "examples" / "course"
OF_THE_MACHINE = {"isolation", "received"}
WITHOUT = "\nThis was graded without isolation.\n"


@pytest.fixture(scope="module")
def grades(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grades")
    assignment, isolation = read_assignment(COURSE / "attention.toml"), best()
    limits = Limits(law_seconds=2, data_bytes=2**29)  # who takes all memory has it sooner
    one = partial(judge_in_process, seed=assignment.seed(), isolation=isolation, limits=limits)
    grade_all(assignment, COURSE / "submissions", folder, isolation=isolation, jobs=2, judge_with=one)
    return folder


def best():
    """Docker or bubblewrap where there is one; the example's submissions are known, so it may be none."""
    from linebyline.grading.isolation import probe

    return next(kind for kind in ("docker", "bwrap", "none") if not probe(kind))


def table(file):
    with file.open(newline="") as opened:
        return [{k: v for k, v in row.items() if k not in OF_THE_MACHINE} for row in csv.DictReader(opened)]


def test_the_gradebook_is_the_one_that_is_kept(grades):
    assert table(grades / "gradebook.csv") == table(COURSE / "grades" / "gradebook.csv")
    points = {row["student"]: float(row["total"]) for row in table(grades / "gradebook.csv")}
    assert points == {"ada": 16, "ben": 8.67, "cem": 0, "dora": 8, "eli": 3}


def test_every_other_file_is_the_one_that_is_kept(grades):
    kept = {path.relative_to(COURSE / "grades") for path in (COURSE / "grades").rglob("*") if path.is_file()}
    written = {path.relative_to(grades) for path in grades.rglob("*") if path.is_file()}
    assert {path for path in written - kept if path.parts[0] != "records"} <= {Path("record.json")}
    for path in kept - {Path("gradebook.csv")}:
        told = (grades / path).read_text().replace("within 2 seconds", "within 10 seconds")
        told = told.replace(WITHOUT, "").replace("\n<p>This was graded without isolation.</p>", "")
        assert told.strip() == (COURSE / "grades" / path).read_text().strip(), path


def test_the_readme_names_each_submission_and_its_points():
    text = (COURSE / "README.md").read_text()
    for row in table(COURSE / "grades" / "gradebook.csv"):
        line = next(line for line in text.splitlines() if line.startswith(f"| `{row['file']}`"))
        assert f"| {row['total']}" in line
