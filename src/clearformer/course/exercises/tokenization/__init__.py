"""The exercises on tokenization, one file each, in the order of the chapter."""

from clearformer.course.exercises.tokenization import apply_merge, encode, pair_counts, train, wordpiece

EXERCISES = tuple(module.EXERCISE for module in (pair_counts, apply_merge, encode, wordpiece, train))
