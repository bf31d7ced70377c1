"""The exercises on masks and cross attention, one file each, in the order of the chapter."""

from linebyline.exercises.masks_and_cross_attention import cross, leaks, reach, window

EXERCISES = tuple(module.EXERCISE for module in (reach, window, cross, leaks))
