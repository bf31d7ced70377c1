"""Translators of the course: words as ids, how they learn, how they write, and the one that is kept."""

from linebyline.translation.data import END, PAD, Words, batches, loss, n_asked, padded, rows
from linebyline.translation.decoding import LONGEST, beams, exact, finds, greedy, reader, source_words, translate
from linebyline.translation.model import (
    GRAMMARS,
    TRANSLATOR,
    Recipe,
    Translator,
    accuracy,
    sample,
    sentences,
    trainer,
    translator,
    untrained,
)

__all__ = [
    "END",
    "GRAMMARS",
    "LONGEST",
    "PAD",
    "TRANSLATOR",
    "Recipe",
    "Translator",
    "Words",
    "accuracy",
    "batches",
    "beams",
    "exact",
    "finds",
    "greedy",
    "loss",
    "n_asked",
    "padded",
    "reader",
    "rows",
    "sample",
    "sentences",
    "source_words",
    "trainer",
    "translate",
    "translator",
    "untrained",
]
