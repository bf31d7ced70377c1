"""What exercises of every kind have in common, and the report on an answer."""

import difflib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

Rng = np.random.Generator


@dataclass(frozen=True, kw_only=True)
class Exercise(ABC):
    """An exercise of a chapter; each kind of answer is a class of its own.

    ``may_use`` completes the sentence "may use ..."; the chapter repeats it beside points and minutes. ``right`` is an
    answer that ``examine`` accepts; ``wrong_answers`` are some that it rejects, named by their mistake. ``entry`` is
    the name of the answer in a file that is handed in, as in the starter cell: the last part of the id, if not told.
    """

    kind: ClassVar[str]
    counted: ClassVar[str]  # what the results of a report are: "3 of 5 laws hold"

    id: str
    title: str
    difficulty: Literal["easy", "medium", "hard"]
    points: int
    minutes: int
    may_use: str
    right: Any
    wrong_answers: Mapping[str, Any]
    entry: str = ""

    @abstractmethod
    def examine(self, answer: Any, *, seed: int | None = None) -> "Report":
        """Examine an answer.

        Args:
            answer: What the kind of exercise asks for.
            seed: Seed of the random cases; the public ones when left out.

        Returns:
            The report. A bad answer never raises here.
        """


@dataclass(frozen=True)
class Result:
    """Whether one law holds, or one number is right, and what there is to say of it."""

    name: str
    ok: bool
    message: str = ""

    def __str__(self) -> str:
        """One line: the verdict, the name and what there is to say."""
        return f"  {'holds' if self.ok else 'FAILS'}  {self.name}" + (f": {self.message}" if self.message else "")


@dataclass(frozen=True, repr=False)
class Report:
    """The report on an answer, which prints as plain text, the same on every run.

    ``results`` is empty while the exercise is not solved yet. ``remark`` helps with a usual wrong answer.
    """

    exercise: Exercise
    results: tuple[Result, ...]
    remark: str = ""

    @property
    def passed(self) -> bool:
        """Whether there is an answer and nothing is wrong with it."""
        return bool(self.results) and all(result.ok for result in self.results)

    @property
    def points(self) -> int:
        """All the points of the exercise, or none."""
        return self.exercise.points if self.passed else 0

    def __str__(self) -> str:
        """A headline, one line for each result, and the remark."""
        points = f"{self.points} of {self.exercise.points} points"
        if not self.results:
            return f"{self.exercise.id}: not solved yet, {points}"
        held = sum(result.ok for result in self.results)
        headline = f"{self.exercise.id}: {held} of {len(self.results)} {self.exercise.counted}, {points}"
        return "\n".join([headline, *map(str, self.results), *([f"  {self.remark}"] if self.remark else [])])

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


def random_cases(seed: int | None, number: int = 0) -> Rng:
    """Return the generator of the random cases with a number: without a seed these are the public cases."""
    # A spawn key, since without one seed 0 would be the same entropy as the public cases have.
    return np.random.default_rng([0, number] if seed is None else np.random.SeedSequence(seed, spawn_key=(number,)))


def shown(answer: Any) -> str:
    """Show an answer of the wrong kind in one line, without the address that a function has."""
    return "a function" if callable(answer) else " ".join(repr(answer).split())
