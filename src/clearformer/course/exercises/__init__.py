"""The exercises of the book: ``check`` an answer against its laws, or look at the whole ``registry``."""

from clearformer.course.chapters import of_each_chapter
from clearformer.course.exercises.core import Answer, Exercise, Law, Report, Result, examine, find

__all__ = ["Exercise", "Law", "Report", "Result", "check", "registry"]


def registry() -> dict[str, Exercise]:
    """Give all exercises by their id, in the order of the book."""
    chapters = of_each_chapter(__name__)
    return {exercise.id: exercise for chapter in chapters for exercise in chapter.EXERCISES}


def check(exercise_id: str, answer: Answer, *, seed: int | None = None) -> Report:
    """Hold an answer against the laws of an exercise.

    Args:
        exercise_id: The id of the exercise, such as ``"attention.softmax"``.
        answer: The function to examine.
        seed: Seed of the random cases; a fixed one when left out.

    Returns:
        A report that prints as text. A bad or missing answer is reported, not raised.

    Raises:
        KeyError: no exercise has this id.

    Example:
        >>> def score_scale(sigma_q, sigma_k, d_k):
        ...     raise NotImplementedError
        >>> check("attention.score_scale", score_scale)
        attention.score_scale: not solved yet, 0 of 3 points
    """
    return examine(find(registry(), exercise_id), answer, seed=seed)
