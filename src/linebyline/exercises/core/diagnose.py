"""The kind of exercise in which the reader finds the one fault of a function, and fixes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .code import Code
from .write import Write


@dataclass(frozen=True, kw_only=True)
class Diagnose(Write):
    """Find the faulty line of a function and fix it; laws say whether the fixed function is right.

    ``broken`` is the function, ``fixed`` the same with another line in place of the faulty one, and ``why`` says what
    was wrong. ``innocent`` has a word on each other line of the body, by its text. The wrong answers are wrong fixes.

    Raises:
        ValueError: the two functions do not differ in exactly one line, or a line has no word, or a word no line.
    """

    kind: ClassVar[str] = "diagnose"

    broken: Code
    fixed: Code
    why: str
    innocent: Mapping[str, str]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.broken.lines) != len(self.fixed.lines) or len(self._differing()) != 1:
            raise ValueError(f"{self.id}: broken and fixed must differ in one line, not in {len(self._differing())}")
        others = {self.broken.lines[i].strip() for i in self.broken.choices if i != self.fault}
        if others != set(self.innocent):
            raise ValueError(f"{self.id}: lines and words on them differ: {sorted(others ^ set(self.innocent))}")

    def _usual_entry(self) -> str:
        return self.broken.name

    def _differing(self) -> list[int]:
        pairs = zip(self.broken.lines, self.fixed.lines, strict=False)
        return [i for i, (broken, fixed) in enumerate(pairs) if broken != fixed]

    @property
    def fault(self) -> int:
        """The number of the faulty line, counted from 0."""
        return self._differing()[0]

    @property
    def remarks(self) -> dict[int, str]:
        """What to say of each line that can be chosen, by its number."""
        lines = self.broken.lines
        return {i: self.why if i == self.fault else self.innocent[lines[i].strip()] for i in self.broken.choices}
