"""Laws, and how a function is held against them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .exercise import Result, Rng, random_cases
from .watched import Watched

Answer = Callable[..., Any]


@dataclass(frozen=True)
class Law:
    """One thing that must hold of every right answer.

    ``test(answer, rng)`` returns if it holds and raises AssertionError with "expected ..., got ..." if not. ``weight``
    is its share of the points where they are given law by law.
    """

    name: str
    test: Callable[[Answer, Rng], None]
    weight: int = 1


def hold_against(laws: tuple[Law, ...], answer: Answer, seed: int | None) -> tuple[Result, ...]:
    """Hold an answer against laws, and see that it leaves its arguments alone.

    Returns:
        One result for each law, and one more; none if the answer raises NotImplementedError.
    """
    watched = Watched(answer)
    results = []
    for number, law in enumerate(laws):
        try:
            broken = how_broken(law, watched, random_cases(seed, number))
        except NotImplementedError:
            return ()
        results.append(Result(law.name, not broken, broken))
    return (*results, unmodified(watched.changed))


def unmodified(changed: set[int]) -> Result:
    """Say whether arguments, numbered from 1, were changed."""
    numbers = ", ".join(map(str, sorted(changed)))
    message = f"expected the arguments back as they were, got changes in argument {numbers}" if changed else ""
    return Result("inputs are not modified", not changed, message)


def how_broken(law: Law, watched: Watched, rng: Rng) -> str:
    """Say how an answer breaks a law; nothing if it keeps it.

    Raises:
        NotImplementedError: there is no answer yet.
    """
    watched.refusals.clear()
    message = ""
    try:
        with np.errstate(all="ignore"):  # an overflow is the law's to report, not the console's
            law.test(watched, rng)
    except NotImplementedError:
        raise
    except AssertionError as broken:
        message = _one_line(broken) or "expected the law to hold, got a failed assertion"
    except (Exception, SystemExit) as error:
        message = f"expected a result, got {type(error).__name__}: {_one_line(error)}"
    # What a function of the law refused counts even if the answer caught the refusal.
    return _one_line(watched.refusals[0]) if watched.refusals else message


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
