"""The replacement of ``linebyline.exercises`` beside a submission: ``check`` notes the answer and says nothing."""

from typing import Any

answers: dict[str, Any] = {}


def check(exercise_id: str, answer: Any, *, seed: int | None = None) -> None:
    """Note an answer; whether it is right is said elsewhere."""
    answers[exercise_id] = answer
