"""Translators of the course: words as ids, how they learn, how they write, and the one that is kept."""

from .data import END, PAD, Words, batches, loss, n_targets, padded, rows
from .decoding import LONGEST, beams, exact, finds, greedy, reader, source_words, translate
from .hiding import right_without
from .model import GRAMMARS, TRANSLATOR, Recipe, Translator, accuracy, sample, sentences, trainer, translator
