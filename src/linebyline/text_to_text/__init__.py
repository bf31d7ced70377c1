"""A text-to-text model of the course: tasks as text, how it learns, and the one that is kept."""

from .model import TEXT_TO_TEXT, Recipe, TextToText, accuracy, sample, text_to_text, trainer, worst_and_mean
from .prefixes import exchanged, written
from .tasks import LONGEST, MIXTURE, SENTINELS, START, TASKS, Task, batches, rows, vocabulary
