"""The exercises of the book: ``check`` an answer, or look at the whole ``registry``.

There are three kinds: *write* a function that obeys the laws, *predict* a number or an outcome, *diagnose* a function.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from linebyline.chapters import CHAPTERS, chapter_of, module_of, of_each_chapter
from linebyline.exercises.core import Code, Diagnose, Exercise, Law, Pick, Predict, Report, Result, Write, find

__all__ = ["Code", "Diagnose", "Exercise", "Law", "Pick", "Predict", "Report", "Result", "Write", "check", "registry"]

LEVELS = ("easy", "medium", "hard")


class _Registry(Mapping[str, Exercise]):
    """Imports the chapter of an exercise when it is needed, since PyTorch takes seconds and most do without it."""

    def __getitem__(self, exercise_id: str) -> Exercise:
        module = module_of(__name__, exercise_id.partition(".")[0])
        for exercise in module.chapter.exercises if module else ():
            if exercise.id == exercise_id:
                found: Exercise = exercise
                return found
        raise KeyError(exercise_id)

    def __iter__(self) -> Iterator[str]:
        declared = [exercise for part in of_each_chapter(__name__) for exercise in part.chapter.exercises]
        # One that moved comes from another module than the others of its chapter; each chapter begins with easy ones.
        declared.sort(key=lambda e: (CHAPTERS.index(chapter_of(e.id)), LEVELS.index(e.difficulty)))
        return iter([exercise.id for exercise in declared])

    def __len__(self) -> int:
        return sum(len(part.chapter.exercises) for part in of_each_chapter(__name__))


def registry() -> Mapping[str, Exercise]:
    """Return all exercises by their id, in the order of the book."""
    return _Registry()


def check(exercise_id: str, answer: Any, *, seed: int | None = None) -> Report:
    """Examine an answer to an exercise.

    Args:
        exercise_id: The id of the exercise, such as ``"attention.softmax"``.
        answer: A function to hold against the laws, or what was predicted. A function that raises NotImplementedError
            is no answer yet, and neither are dots in place of a number.
        seed: Seed of the random cases; the public ones when left out.

    Returns:
        A report that prints as text. A bad or missing answer is reported, not raised.

    Raises:
        KeyError: no exercise has this id.

    Example:
        >>> check("attention.score_spread", ...)
        attention.score_spread: not solved yet, 0 of 2 points
        >>> check("attention.score_spread", 1024)
        attention.score_spread: 0 of 1 right, 0 of 2 points
          FAILS  standard deviation of a raw score: 1024 is too high by a factor of 32
          This is the variance: its square root has the size of a score.
    """
    return find(registry(), exercise_id).examine(answer, seed=seed)
