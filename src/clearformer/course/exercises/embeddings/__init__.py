"""The exercises on embeddings, one file each, in the order of the chapter."""

from clearformer.course.exercises.embeddings import backward, nearest, one_hot, parameters, tied_gradient

EXERCISES = tuple(module.EXERCISE for module in (one_hot, parameters, backward, nearest, tied_gradient))
