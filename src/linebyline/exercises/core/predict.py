"""The kind of exercise in which the reader says a number before it is computed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .exercise import Exercise, Report, Result, Rng, random_cases, shown


@dataclass(frozen=True, kw_only=True)
class Predict(Exercise):
    """Predict one number, or a few, before running anything.

    ``asks`` names each number, ``compute`` finds them, and ``within`` is how far off a right answer may be, as a
    fraction of the number (of 1, where it is 0). The wrong answers are numbers; the name of each is the remark that a
    reader sees who predicts it.
    """

    kind: ClassVar[str] = "predict"
    counted: ClassVar[str] = "right"

    asks: tuple[str, ...]
    compute: Callable[[Rng], Any]
    within: float

    def values(self, seed: int | None = None) -> tuple[float, ...]:
        """Compute the numbers.

        Raises:
            ValueError: they are not as many as are asked for.
        """
        values = np.ravel(self.compute(random_cases(seed))).tolist()
        if len(values) != len(self.asks):
            raise ValueError(f"{self.id} asks for {len(self.asks)} numbers and computes {len(values)}")
        return tuple(map(float, values))

    def examine(self, answer: Any, *, seed: int | None = None) -> Report:
        """Say how far off each number is; dots stand for no answer."""
        if answer is ...:
            return Report(self, ())
        numbers = _numbers(answer)
        if numbers is None or len(numbers) != len(self.asks):
            wanted = "a number" if len(self.asks) == 1 else f"{len(self.asks)} numbers"
            message = f"expected {wanted}, got {shown(answer)}"
            return Report(self, tuple(Result(name, False, message) for name in self.asks))
        values = self.values(seed)
        results = tuple(map(self._result, self.asks, numbers, values))
        wrong = not all(result.ok for result in results)
        return Report(self, results, self._remark(numbers) if wrong else "")

    def _result(self, name: str, got: float, value: float) -> Result:
        ok = is_near(got, value, self.within)
        return Result(name, ok, f"{got:.4g} is {f'right, computed {value:.4g}' if ok else how_far(got, value)}")

    def _remark(self, numbers: tuple[float, ...]) -> str:
        """What to say of a usual wrong answer; nothing of any other."""
        for remark, guess in self.wrong_answers.items():
            if all(is_near(got, wrong, self.within) for got, wrong in zip(numbers, np.ravel(guess), strict=True)):
                return remark
        return ""


def is_near(got: float, value: float, within: float) -> bool:
    """Whether a number is within a fraction of a value (of 1, where the value is 0)."""
    return abs(got - value) <= within * (abs(value) or 1.0)


def how_far(got: float, value: float) -> str:
    """Say in which direction a number is off, and by how much.

    Example:
        >>> how_far(64, 32), how_far(28, 32), how_far(-1, 32)
        ('too high by a factor of 2', 'too low by 13 %', 'too low: it has the wrong sign')
    """
    side = "too high" if got > value else "too low"
    if value == 0:
        return side
    if got * value <= 0:
        return f"{side}: it {'is 0' if got == 0 else 'has the wrong sign'}"
    # A negative number that is too far from 0 is too low.
    small, large = sorted((abs(got), abs(value)))
    if large / small >= 1.5:
        return f"{side} by a factor of {_short(large / small)}"
    percent = math.floor(100 * (large - small) / abs(value) + 0.5)
    return f"{side} by {percent or 'less than 1'} %"


def _short(factor: float) -> str:
    """Round half up, as the page does, to one decimal, or to none from 10."""
    return str(math.floor(factor + 0.5)) if factor >= 10 else f"{math.floor(10 * factor + 0.5) / 10:g}"


def _numbers(answer: Any) -> tuple[float, ...] | None:
    """Read an answer as finite numbers; nothing if it is not that."""
    try:
        array = np.ravel(np.asarray(answer))
    except (TypeError, ValueError):
        return None
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return None
    return tuple(map(float, array.tolist()))
