"""Translators of the course: words as ids, how they learn, how they write, and the one that is kept."""

from linebyline.translation.kept import (
    GRAMMARS,
    Recipe,
    Translator,
    accuracy,
    grammars_hash,
    load,
    save,
    sentences,
    trainer,
    translator,
    untrained,
)
from linebyline.translation.learning import batches, loss, n_asked
from linebyline.translation.words import END, PAD, Words, padded, rows
from linebyline.translation.writing import LONGEST, beams, exact, finds, greedy, reader, source_words, translate

__all__ = [
    "END",
    "GRAMMARS",
    "LONGEST",
    "PAD",
    "Recipe",
    "Translator",
    "Words",
    "accuracy",
    "batches",
    "beams",
    "exact",
    "finds",
    "grammars_hash",
    "greedy",
    "load",
    "loss",
    "n_asked",
    "padded",
    "reader",
    "rows",
    "save",
    "sentences",
    "source_words",
    "trainer",
    "translate",
    "translator",
    "untrained",
]
