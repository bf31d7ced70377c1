"""The exercises on normalization, one file each, in the order of the chapter."""

from clearformer.course.exercises.normalization import fold, layer_norm, rms_backward, running

EXERCISES = tuple(module.EXERCISE for module in (layer_norm, running, fold, rms_backward))
