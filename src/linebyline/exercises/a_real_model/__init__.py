"""The exercises on published models, one file each, in the order of the chapter."""

from linebyline.exercises.a_real_model import (
    by_hand,
    even_head,
    ranks,
    rename,
    unnoticed,
)

EXERCISES = tuple(module.EXERCISE for module in (unnoticed, even_head, rename, by_hand, ranks))
