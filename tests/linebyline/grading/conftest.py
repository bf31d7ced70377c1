"""What tests of grading share."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from linebyline.grading import judge
from linebyline.grading.assignment import read_assignment
from tests.linebyline.grading.helpers import write


@pytest.fixture
def assignment(tmp_path):
    return read_assignment(write(tmp_path))


@pytest.fixture(scope="module")
def stripped_once() -> Iterator[None]:
    """Make the copy of the package that workers import once: each judge in this process would make its own."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        library = judge.strip_package(Path(folder))
        patch.setattr(judge, "strip_package", lambda _: library)
        yield
