"""The exercises on training, one file each, in the order of the chapter."""

from clearformer.course.exercises.training import (
    accumulate,
    clip,
    decay,
    rectified,
    second_step,
    units,
)

EXERCISES = tuple(module.EXERCISE for module in (second_step, units, clip, decay, accumulate, rectified))
