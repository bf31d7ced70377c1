"""The exercises on attention cost, one file each, in the order of the chapter."""

from linebyline.exercises.attention_cost import layer_flops, merge, stream, streaming

EXERCISES = tuple(module.EXERCISE for module in (layer_flops, merge, stream, streaming))
