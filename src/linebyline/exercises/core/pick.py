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

    def option(self, answer: Any) -> str | None:
        """Return the option that an answer names in full, or by its last words: "keys" for "that of the keys"."""
        if not isinstance(answer, str):
            return None
        ends = [option for option in self.options if f" {option}".endswith(f" {answer.strip()}")]
        return answer if answer in self.options else ends[0] if len(ends) == 1 else None

    def examine(self, answer: Any, *, seed: int | None = None) -> Report:
        """Say whether the option is the right one; dots stand for no answer."""
        if answer is ...:
            return Report(self, ())
        if (option := self.option(answer)) is None:
            message = f"expected one of {', '.join(map(repr, self.options))}, got {shown(answer)}"
            return Report(self, (Result(self.asks, False, message),))
        ok = option == self.value(seed)
        result = Result(self.asks, ok, f"{option!r} is {'right' if ok else 'wrong'}")
        remarks = [remark for remark, wrong in self.wrong_answers.items() if wrong == option]
        return Report(self, (result,), "" if ok or not remarks else remarks[0])
