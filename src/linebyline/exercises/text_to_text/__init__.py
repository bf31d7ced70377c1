"""The exercises on text to text, one file each, in the order of the chapter."""

from linebyline.exercises.text_to_text import (
    bias,
    half,
    lengths,
    mixture,
    prefix_mask,
    unused,
)

EXERCISES = tuple(module.EXERCISE for module in (lengths, half, unused, bias, mixture, prefix_mask))
