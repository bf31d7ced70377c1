"""The exercises on positions inside attention, one file each, in the order of the chapter."""

from linebyline.exercises.relative_positions import (
    alibi_row,
    far_pair,
    moved_keys,
    to_half_layout,
    turned_values,
)

EXERCISES = tuple(module.EXERCISE for module in (far_pair, alibi_row, turned_values, moved_keys, to_half_layout))
