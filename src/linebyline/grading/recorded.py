"""What replaces ``linebyline.exercises`` in a worker: ``check`` records the answer and says nothing."""

from typing import Any

answers: dict[str, Any] = {}


def check(exercise_id: str, answer: Any, *, seed: int | None = None) -> None:
    """Record an answer for the judge."""
    answers[exercise_id] = answer
