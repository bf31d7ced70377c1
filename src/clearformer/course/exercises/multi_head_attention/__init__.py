"""The exercises on multi head attention, one file each, in the order of the chapter."""

from clearformer.course.exercises.multi_head_attention import cache_bytes, contributions, grouped, induction, split

EXERCISES = tuple(module.EXERCISE for module in (cache_bytes, split, contributions, grouped, induction))
