"""The masked language model of the course: a small BERT that reads docstrings, its recipe, and its weights."""

from linebyline.masked_language_model.kept import (
    MaskedLanguageModel,
    Recipe,
    encoder,
    guessing,
    load,
    masked_language_model,
    save,
    trainer,
    untrained,
)
from linebyline.masked_language_model.learning import batches, loss, mask_tokens, surprise, windows
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
    "PAD",
    "SEP",
    "SPECIAL",
    "UNKNOWN",
    "MaskedLanguageModel",
    "Recipe",
    "batches",
    "encoder",
    "guessing",
    "load",
    "loss",
    "mask_tokens",
    "masked_language_model",
    "passages",
    "save",
    "sequence",
    "surprise",
    "tokenizer_of",
    "trainer",
    "untrained",
    "windows",
]
