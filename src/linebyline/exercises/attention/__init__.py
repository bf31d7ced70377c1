"""The exercises on attention, one file each, in the order of the chapter."""

from linebyline.exercises.attention import (
    doubled,
    lost_bias,
    masked,
    score_spread,
    softmax,
    softmax_jacobian,
    weighted_average,
)

EXERCISES = tuple(
    module.EXERCISE
    for module in (weighted_average, doubled, score_spread, softmax, lost_bias, masked, softmax_jacobian)
)
