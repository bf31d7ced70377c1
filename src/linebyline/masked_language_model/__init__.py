"""The masked language model of the course: a small BERT that reads docstrings, its recipe, and its weights."""

from .data import CLS, MASK, PAD, SEP, batches, loss, mask_tokens, passages, sequence, tokenizer_of, windows
from .model import MaskedLanguageModel, Recipe, encoder, evaluate, masked_language_model, trainer, untrained
