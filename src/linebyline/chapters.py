"""The chapters of the book that have claims and exercises, in its order."""

from importlib import import_module
from types import ModuleType

CHAPTERS = (
    "tokenization",
    "embeddings",
    "positional_encoding",
    "attention",
    "masks_and_cross_attention",
    "multi_head_attention",
    "relative_positions",
    "normalization",
    "feed_forward",
    "language_model",
    "translation",
    "encoder",
    "text_to_text",
    "llama",
    "a_real_model",
    "training",
    "training_at_scale",
    "temperature_and_penalties",
    "search",
    "sampling",
    "attention_backward",
    "attention_cost",
)


def of_each_chapter(package: str) -> list[ModuleType]:
    """Import the module that a package, such as ``"linebyline.exercises"``, has for each chapter.

    Raises:
        ModuleNotFoundError: a chapter has none there.
    """
    return [import_module(f"{package}.{chapter}") for chapter in CHAPTERS]
