"""What tests of grading share."""

import pytest
from graded import write

from clearformer.course.grading.assignment import read_assignment


@pytest.fixture
def assignment(tmp_path):
    return read_assignment(write(tmp_path))
