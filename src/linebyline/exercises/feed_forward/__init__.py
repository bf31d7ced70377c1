"""The exercises on feed forward, one file each, in the order of the chapter."""

from linebyline.exercises.feed_forward import backward, block_parameters, prune

EXERCISES = tuple(module.EXERCISE for module in (block_parameters, prune, backward))
