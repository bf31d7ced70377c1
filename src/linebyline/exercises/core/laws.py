"""Laws, and how a function is held against them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .exercise import Result, Rng, random_cases
from .on_copies import OnCopies

Answer = Callable[..., Any]
LawTest = Callable[[Answer, Rng], None]


@dataclass(frozen=True)
class Law:
    """One thing that must hold of every right answer.

    ``test(answer, rng)`` returns if it holds and raises AssertionError with "expected ..., got ..." if not. ``weight``
    is its part of the points where they are given law by law.
    """

    name: str
    test: LawTest
    weight: int = 1


def hold_against(laws: Sequence[Law], answer: Answer, seed: int | None) -> tuple[Result, ...]:
    """Hold an answer against laws, and see that it leaves its arguments alone.

    Returns:
        One result for each law, and one more; none if the answer raises NotImplementedError.
    """
    on_copies = OnCopies(answer)
    results = []
    for number, law in enumerate(laws):
        try:
            broken = how_broken(law, on_copies, random_cases(seed, number))
        except NotImplementedError:
            return ()
        results.append(Result(law.name, not broken, broken))
    return (*results, unmodified(on_copies.changed))


def unmodified(changed: set[int]) -> Result:
    """Say whether arguments, numbered from 1, were changed."""
    numbers = ", ".join(map(str, sorted(changed)))
    message = f"expected the arguments back as they were, got changes in argument {numbers}" if changed else ""
    return Result("inputs are not modified", not changed, message)


def how_broken(law: Law, on_copies: OnCopies, rng: Rng) -> str:
    """Say how an answer breaks a law; nothing if it keeps it.

    Raises:
        NotImplementedError: there is no answer yet.
    """
    on_copies.refusals.clear()
    message = ""
    try:
        with np.errstate(all="ignore"):  # an overflow is the law's to report, not the console's
            law.test(on_copies, rng)
    except NotImplementedError:
        raise
    except AssertionError as broken:
        message = _one_line(broken) or "expected the law to hold, got a failed assertion"
    except (Exception, SystemExit) as error:
        message = f"expected a result, got {type(error).__name__}: {_one_line(error)}"
    # What a function of the law refused counts even if the answer caught the refusal.
    return _one_line(on_copies.refusals[0]) if on_copies.refusals else message


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
