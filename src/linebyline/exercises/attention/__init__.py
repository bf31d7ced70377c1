"""The exercises on attention, in the order of the chapter."""

from linebyline.exercises.attention import masking, weights

EXERCISES = [*weights.chapter.exercises, *masking.chapter.exercises]
