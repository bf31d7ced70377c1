"""The exercises on tokenization, in the order of the chapter."""

from linebyline.exercises.tokenization import cutting, merging, training

EXERCISES = [exercise for part in (merging, cutting, training) for exercise in part.chapter.exercises]
