"""What two of the exercises share: their answers are pairs of arrays."""

from typing import Any


def pair(got: Any) -> Any:
    if not isinstance(got, tuple) or len(got) != 2:
        raise AssertionError(f"expected a tuple of two arrays, got {type(got).__name__}")
    return got
