"""The kind of exercise in which the reader finds the one fault of a function, and fixes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .code import Code
from .write import Write


@dataclass(frozen=True, kw_only=True)
class Diagnose(Write):
    """Find the faulty line of a function and fix it; laws say whether the fixed function is right.

    ``broken`` is the function, ``fixed`` the same with another line in place of the faulty one, which has the number
    ``fault``, counted from 0. ``remarks`` are what a reader is told about each line that can be chosen, by its number.
    The wrong answers are wrong fixes.

    Raises:
        ValueError: a line has no remark, or a remark no line.
    """

    kind: ClassVar[str] = "diagnose"

    broken: Code
    fixed: Code
    fault: int
    remarks: Mapping[int, str]

    def __post_init__(self) -> None:
        if list(self.remarks) != self.broken.choices:
            raise ValueError(f"{self.id}: remarks on lines {list(self.remarks)}, choices are {self.broken.choices}")
