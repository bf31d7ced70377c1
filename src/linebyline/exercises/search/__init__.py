"""The exercises on search, one file each, in the order of the chapter."""

from linebyline.exercises.search import best_first, by_hand, crossing, step

EXERCISES = tuple(module.EXERCISE for module in (by_hand, step, crossing, best_first))
