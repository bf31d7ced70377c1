"""The exercises on search, one file each, in the order of the chapter."""

from clearformer.course.exercises.search import best_first, crossing, log_probability, step

EXERCISES = tuple(module.EXERCISE for module in (log_probability, step, crossing, best_first))
