"""The chapters of the book that have claims and exercises, in its order."""

from importlib import import_module
from itertools import chain
from types import ModuleType

# The chapters of each week of the course, by its title.
BY_WEEK = {
    "Text becomes vectors": ("tokenization", "embeddings"),
    "Places and attention": ("positional_encoding", "attention"),
    "Masks and heads": ("masks_and_cross_attention", "multi_head_attention"),
    "The block": ("relative_positions", "normalization", "feed_forward"),
    "A model that writes": ("language_model",),
    "A model that translates": ("translation",),
    "Encoders, and text to text": ("encoder", "text_to_text"),
    "Models of other people": ("llama", "a_real_model"),
    "Training": ("training", "training_at_scale"),
    "Choosing a text": ("temperature_and_penalties", "search"),
    "Drawing the next token": ("sampling",),
    "Gradients and cost": ("attention_backward", "attention_cost"),
}
CHAPTERS = tuple(chain.from_iterable(BY_WEEK.values()))


def of_each_chapter(package: str) -> list[ModuleType]:
    """Import the module that a package, such as ``"linebyline.exercises"``, has for each chapter.

    Raises:
        ModuleNotFoundError: a chapter has none there.
    """
    return [import_module(f"{package}.{chapter}") for chapter in CHAPTERS]
