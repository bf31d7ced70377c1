"""What tests of grading share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from linebyline.grading import judge
from linebyline.grading.assignment import read_assignment
from linebyline.grading.controller import grade_all
from tests.linebyline.grading.helpers import IN_TIME, Judge, hand_in, rows, write


@pytest.fixture
def assignment(tmp_path):
    return read_assignment(write(tmp_path))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def grade(assignment, tmp_path, out):
    """Hand in what students wrote, grade all that was handed in by a fake judge, and read the gradebook."""

    def run(*, when=IN_TIME, of=assignment, judge=None, student=None, jobs=1, **sources):
        submissions = hand_in(tmp_path / "in", when, **sources)
        grade_all(of, submissions, out, judge_with=judge or Judge(), student=student, jobs=jobs)
        return rows(out)

    return run


@pytest.fixture(scope="module")
def stripped_once() -> Iterator[None]:
    """Make the copy of the package that workers import once: each judge in this process would make its own."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        library = judge.strip_package(Path(folder))
        patch.setattr(judge, "strip_package", lambda _: library)
        yield
