"""The exercises on translation, one file each, in the order of the chapter."""

from linebyline.exercises.translation import (
    alignment_error,
    cached,
    exposure,
    floor,
    neighbours,
    shift,
    smoothed,
)

EXERCISES = tuple(module.EXERCISE for module in (shift, exposure, floor, alignment_error, cached, neighbours, smoothed))
