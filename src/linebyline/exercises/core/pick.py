"""The kind of exercise in which the reader picks what will happen before it is computed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from .exercise import Exercise, Report, Result, Rng, random_cases, shown


@dataclass(frozen=True, kw_only=True)
class Pick(Exercise):
    """Pick one of some options before running anything.

    ``asks`` is the question, and ``compute`` finds the right option. The wrong answers are all the others; the name of
    each is the remark that a reader sees who picks it.
    """

    kind: ClassVar[str] = "predict"
    counted: ClassVar[str] = "right"

    asks: str
    options: tuple[str, ...]
    compute: Callable[[Rng], str]

    def value(self, seed: int | None = None) -> str:
        """Compute the right option.

        Raises:
            ValueError: what comes out is no option.
        """
        value = self.compute(random_cases(seed))
        if value not in self.options:
            raise ValueError(f"{self.id} computes {value!r}, which is none of {self.options}")
        return value

    def examine(self, answer: Any, *, seed: int | None = None) -> Report:
        """Say whether the option is the right one; dots stand for no answer."""
        if answer is ...:
            return Report(self, ())
        if not isinstance(answer, str) or answer not in self.options:
            message = f"expected one of {', '.join(map(repr, self.options))}, got {shown(answer)}"
            return Report(self, (Result(self.asks, False, message),))
        ok = answer == self.value(seed)
        result = Result(self.asks, ok, f"{answer!r} is {'right' if ok else 'wrong'}")
        remarks = [remark for remark, option in self.wrong_answers.items() if option == answer]
        return Report(self, (result,), "" if ok or not remarks else remarks[0])
