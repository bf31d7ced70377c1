"""The exercises on embeddings, one file each, in the order of the chapter."""

from linebyline.exercises.embeddings import nearest, one_place, renumber, rows_reached, tied_gradient

EXERCISES = tuple(module.EXERCISE for module in (one_place, rows_reached, renumber, nearest, tied_gradient))
