"""A text-to-text model of the course: tasks as text, how it learns, and the one that is kept."""

from linebyline.text_to_text.exchange import exchanged, written
from linebyline.text_to_text.kept import (
    Recipe,
    TextToText,
    accuracy,
    load,
    save,
    tasks_hash,
    text_to_text,
    trainer,
    worst_and_mean,
)
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
    "Recipe",
    "Task",
    "TextToText",
    "accuracy",
    "batches",
    "exchanged",
    "load",
    "rows",
    "save",
    "tasks_hash",
    "text_to_text",
    "trainer",
    "vocabulary",
    "worst_and_mean",
    "written",
]
