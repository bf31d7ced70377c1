"""A text-to-text model of the course: tasks as text, how it learns, and the one that is kept."""

from linebyline.text_to_text.model import (
    TEXT_TO_TEXT,
    Recipe,
    TextToText,
    accuracy,
    sample,
    text_to_text,
    trainer,
    worst_and_mean,
)
from linebyline.text_to_text.prefixes import exchanged, written
from linebyline.text_to_text.tasks import (
    LONGEST,
    MIXTURE,
    SENTINELS,
    START,
    TASKS,
    Task,
    batches,
    rows,
    vocabulary,
)

__all__ = [
    "LONGEST",
    "MIXTURE",
    "SENTINELS",
    "START",
    "TASKS",
    "TEXT_TO_TEXT",
    "Recipe",
    "Task",
    "TextToText",
    "accuracy",
    "batches",
    "exchanged",
    "rows",
    "sample",
    "text_to_text",
    "trainer",
    "vocabulary",
    "worst_and_mean",
    "written",
]
