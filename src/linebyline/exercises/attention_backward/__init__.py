"""The exercises on attention backward, one file each, in the order of the chapter."""

from linebyline.exercises.attention_backward import backward, d_x, score_gradient

EXERCISES = tuple(module.EXERCISE for module in (score_gradient, d_x, backward))
