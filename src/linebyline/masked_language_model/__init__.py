"""The masked language model of the course: a small BERT that reads docstrings, its recipe, and its weights."""

from linebyline.masked_language_model.learning import batches, loss, mask_tokens, surprise, windows
from linebyline.masked_language_model.model import (
    MASKED_LANGUAGE_MODEL,
    MaskedLanguageModel,
    Recipe,
    encoder,
    guessing,
    masked_language_model,
    trainer,
    untrained,
)
from linebyline.masked_language_model.reading import (
    CLS,
    MASK,
    PAD,
    SEP,
    SPECIAL,
    UNKNOWN,
    passages,
    sequence,
    tokenizer_of,
)

__all__ = [
    "CLS",
    "MASK",
    "MASKED_LANGUAGE_MODEL",
    "PAD",
    "SEP",
    "SPECIAL",
    "UNKNOWN",
    "MaskedLanguageModel",
    "Recipe",
    "batches",
    "encoder",
    "guessing",
    "loss",
    "mask_tokens",
    "masked_language_model",
    "passages",
    "sequence",
    "surprise",
    "tokenizer_of",
    "trainer",
    "untrained",
    "windows",
]
