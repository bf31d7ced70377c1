"""The exercises on training, one file each, in the order of the chapter."""

from linebyline.exercises.training import (
    clip,
    decay,
    diverging_rate,
    rectified,
    second_step,
    units,
)

EXERCISES = tuple(module.EXERCISE for module in (second_step, units, diverging_rate, clip, decay, rectified))
