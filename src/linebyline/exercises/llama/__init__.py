"""The exercises on Llama, one file each, in the order of the chapter."""

from linebyline.exercises.llama import (
    cache,
    int4,
    rename,
    transposed,
    width,
)

EXERCISES = tuple(module.EXERCISE for module in (cache, width, rename, transposed, int4))
