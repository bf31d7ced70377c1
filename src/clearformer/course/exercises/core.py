"""What an exercise is, and how an answer is held against its laws."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Answer = Callable[..., Any]
Rng = np.random.Generator


@dataclass(frozen=True)
class Law:
    """One thing that must hold of every right answer.

    ``test(answer, rng)`` returns if it holds and raises AssertionError with "expected ..., got ..." if not.
    """

    name: str
    test: Callable[[Answer, Rng], None]


@dataclass(frozen=True)
class Exercise:
    """An exercise of a chapter: its laws, and wrong answers, named by their mistake, that the laws reject."""

    id: str
    title: str
    difficulty: Literal["easy", "medium", "hard"]
    points: int
    minutes: int
    laws: tuple[Law, ...]
    wrong_answers: Mapping[str, Answer]


@dataclass(frozen=True)
class Result:
    """What became of one law."""

    name: str
    ok: bool
    message: str = ""

    def __str__(self) -> str:
        """One line: the verdict, the law and, where it fails, why."""
        return f"  holds  {self.name}" if self.ok else f"  FAILS  {self.name}: {self.message}"


@dataclass(frozen=True, repr=False)
class Report:
    """What became of an answer; prints as plain text, the same on every run.

    ``results`` is empty while the exercise is not solved yet.
    """

    exercise: Exercise
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether there is an answer and every law holds."""
        return bool(self.results) and all(result.ok for result in self.results)

    @property
    def points(self) -> int:
        """All the points of the exercise, or none."""
        return self.exercise.points if self.passed else 0

    def __str__(self) -> str:
        """A headline, then one line for each law."""
        points = f"{self.points} of {self.exercise.points} points"
        if not self.results:
            return f"{self.exercise.id}: not solved yet, {points}"
        held = sum(result.ok for result in self.results)
        headline = f"{self.exercise.id}: {held} of {len(self.results)} laws hold, {points}"
        return "\n".join([headline, *map(str, self.results)])

    __repr__ = __str__


def find(exercises: Mapping[str, Exercise], exercise_id: str) -> Exercise:
    """Look an exercise up by its id.

    Raises:
        KeyError: no exercise has this id; the message lists near ones.
    """
    if exercise_id not in exercises:
        near = difflib.get_close_matches(exercise_id, exercises, n=3, cutoff=0.4) or list(exercises)
        raise KeyError(f"no exercise {exercise_id!r}; did you mean {', '.join(near)}?")
    return exercises[exercise_id]


def examine(exercise: Exercise, answer: Answer, *, seed: int | None = None) -> Report:
    """Hold an answer against the laws of an exercise, and see that it leaves its arguments alone.

    Args:
        exercise: The exercise.
        answer: The function to examine.
        seed: Seed of the random cases; a fixed one when left out.

    Returns:
        The report. A bad answer never raises here: whatever it raises is a law that fails.
    """
    watched = _Watched(answer)
    results = []
    with np.errstate(all="ignore"):  # an overflow is the law's to report, not the console's
        for number, law in enumerate(exercise.laws):
            rng = np.random.default_rng([seed or 0, number])
            try:
                law.test(watched, rng)
            except NotImplementedError:
                return Report(exercise, ())
            except AssertionError as broken:
                results.append(Result(law.name, False, _one_line(broken)))
            except (Exception, SystemExit) as error:
                message = f"expected a result, got {type(error).__name__}: {_one_line(error)}"
                results.append(Result(law.name, False, message))
            else:
                results.append(Result(law.name, True))
    changed = ", ".join(sorted(watched.changed))
    message = f"expected the arguments back as they were, got changes in argument {changed}"
    results.append(Result("inputs are not modified", not changed, message if changed else ""))
    return Report(exercise, tuple(results))


class _Watched:
    """Calls an answer on copies of its arguments and notes which of them it changes."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.changed: set[str] = set()

    def __call__(self, *args: Any) -> Any:
        # The law keeps the originals: what the answer does to its copies cannot spoil the comparison.
        copies: list[Any] = [arg.copy() if isinstance(arg, np.ndarray | list | dict) else arg for arg in args]
        try:
            return self._answer(*copies)
        finally:
            for number, (arg, copy) in enumerate(zip(args, copies, strict=True), start=1):
                arrays = isinstance(arg, np.ndarray)
                same = np.array_equal(arg, copy, equal_nan=True) if arrays else arg == copy
                if not same:
                    self.changed.add(str(number))


def expect_close(got: Any, expected: Any, what: str, *, rtol: float = 1e-9, atol: float = 1e-12) -> None:
    """Refuse a result that is not an array of the expected shape and values.

    Raises:
        AssertionError: it is not, with both in the message.
    """
    expected = np.asarray(expected)
    if got is None:
        raise AssertionError(f"{what}: expected {_show(expected)}, got None (is a return missing?)")
    got = np.asarray(got)
    if got.shape != expected.shape:
        raise AssertionError(f"{what}: expected shape {expected.shape}, got shape {got.shape}")
    wrong = ~np.isclose(got, expected, rtol=rtol, atol=atol)
    if not wrong.any():
        return
    if wrong.size <= 8:
        raise AssertionError(f"{what}: expected {_show(expected)}, got {_show(got)}")
    first = tuple(np.argwhere(wrong)[0].tolist())
    raise AssertionError(
        f"{what}: expected {_show(expected[first])} at {first}, got {_show(got[first])} "
        f"({wrong.sum()} of {wrong.size} entries differ)"
    )


def expect_equal(got: Any, expected: Any, what: str) -> None:
    """Refuse a result that is not the expected list or dictionary; a tuple may stand for a list.

    Raises:
        AssertionError: it is not, with both in the message.
    """
    if got is None:
        raise AssertionError(f"{what}: expected {expected}, got None (is a return missing?)")
    plain = list(got) if isinstance(got, tuple) else got
    if type(plain) is not type(expected) or plain != expected:
        raise AssertionError(f"{what}: expected {expected}, got {got!r}")


def expect_raises(call: Callable[[], Any], error: type[Exception], what: str) -> None:
    """Refuse a call that does not raise the expected error.

    Raises:
        AssertionError: it returned, or raised something else.
    """
    try:
        got = call()
    except NotImplementedError:
        raise
    except Exception as raised:
        if isinstance(raised, error):
            return
        raise AssertionError(f"{what}: expected {error.__name__}, got {type(raised).__name__}") from raised
    raise AssertionError(f"{what}: expected {error.__name__}, got {_show(got)}")


def _show(value: Any) -> str:
    text = np.array2string(np.asarray(value), precision=8, suppress_small=True, threshold=12, edgeitems=2)
    return " ".join(text.split())


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
