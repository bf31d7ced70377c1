"""The exercises on sampling, one file each, in the order of the chapter."""

from clearformer.course.exercises.sampling import cuts, gumbel, inverse, nucleus

EXERCISES = tuple(module.EXERCISE for module in (inverse, gumbel, nucleus, cuts))
