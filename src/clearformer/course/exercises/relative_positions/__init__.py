"""The exercises on positions inside attention, one file each, in the order of the chapter."""

from clearformer.course.exercises.relative_positions import alibi_row, image_positions, moved_keys, to_half_layout

EXERCISES = tuple(module.EXERCISE for module in (alibi_row, to_half_layout, moved_keys, image_positions))
