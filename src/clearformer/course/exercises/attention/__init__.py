"""The exercises on attention, one file each, in the order of the chapter."""

from clearformer.course.exercises.attention import masked, score_scale, softmax, softmax_jacobian, weighted_average

EXERCISES = tuple(module.EXERCISE for module in (weighted_average, softmax, score_scale, masked, softmax_jacobian))
