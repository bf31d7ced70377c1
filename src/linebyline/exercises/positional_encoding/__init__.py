"""The exercises on positions that are added, one file each, in the order of the chapter."""

from linebyline.exercises.positional_encoding import halfway, row_length, sinusoidal, wavelengths

EXERCISES = tuple(module.EXERCISE for module in (row_length, wavelengths, sinusoidal, halfway))
