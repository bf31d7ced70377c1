"""The exercises on attention backward, one file each, in the order of the chapter."""

from clearformer.course.exercises.attention_backward import backward, d_w_q, numerical_gradient, shared_keys

EXERCISES = tuple(module.EXERCISE for module in (d_w_q, shared_keys, numerical_gradient, backward))
