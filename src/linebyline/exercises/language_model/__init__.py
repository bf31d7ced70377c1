"""The exercises on language model, one file each, in the order of the chapter."""

from linebyline.exercises.language_model import cached_block, first_loss, loss, perplexity, trigram

EXERCISES = tuple(module.EXERCISE for module in (loss, first_loss, perplexity, trigram, cached_block))
