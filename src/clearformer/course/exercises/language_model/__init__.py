"""The exercises on language model, one file each, in the order of the chapter."""

from clearformer.course.exercises.language_model import bits_per_byte, cached_block, loss, trigram

EXERCISES = tuple(module.EXERCISE for module in (loss, bits_per_byte, trigram, cached_block))
