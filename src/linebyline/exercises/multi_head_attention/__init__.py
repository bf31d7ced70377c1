"""The exercises on multi head attention, one file each, in the order of the chapter."""

from linebyline.exercises.multi_head_attention import induction, merged, shared, silenced

EXERCISES = tuple(module.EXERCISE for module in (silenced, shared, merged, induction))
