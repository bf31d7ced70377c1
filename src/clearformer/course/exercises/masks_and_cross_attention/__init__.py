"""The exercises on masks and cross attention, one file each, in the order of the chapter."""

from clearformer.course.exercises.masks_and_cross_attention import compose, cross, leaks, shift_right, window

EXERCISES = tuple(module.EXERCISE for module in (shift_right, compose, window, cross, leaks))
