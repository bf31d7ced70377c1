"""The exercises on normalization, one file each, in the order of the chapter."""

from linebyline.exercises.normalization import fold, pre_norm, rms_backward, small_row

EXERCISES = tuple(module.EXERCISE for module in (small_row, pre_norm, fold, rms_backward))
