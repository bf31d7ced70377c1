"""The kind of exercise in which the reader writes a function."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .exercise import Exercise, Report
from .laws import Law, hold_against


@dataclass(frozen=True, kw_only=True)
class Write(Exercise):
    """Write a function; laws say whether it is right. Its wrong answers are functions."""

    kind: ClassVar[str] = "write"
    counted: ClassVar[str] = "laws hold"

    laws: tuple[Law, ...]

    def examine(self, answer: Any, *, seed: int | None = None) -> Report:
        """Hold a function against the laws; whatever it raises is a law that fails."""
        return Report(self, hold_against(self.laws, answer, seed))
