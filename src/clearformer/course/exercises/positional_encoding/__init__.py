"""The exercises on positions that are added, one file each, in the order of the chapter."""

from clearformer.course.exercises.positional_encoding import halfway, shift_matrix, wavelengths

EXERCISES = tuple(module.EXERCISE for module in (wavelengths, shift_matrix, halfway))
