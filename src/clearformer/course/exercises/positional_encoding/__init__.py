"""The exercises on positional encoding, one file each, in the order of the chapter."""

from clearformer.course.exercises.positional_encoding import rotary, shift_matrix, to_half_layout, wavelengths

EXERCISES = tuple(module.EXERCISE for module in (wavelengths, shift_matrix, to_half_layout, rotary))
