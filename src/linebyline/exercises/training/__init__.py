"""The exercises on training, in the order of the chapter."""

from linebyline.exercises.training import adam, descent

EXERCISES = [*descent.chapter.exercises, *adam.chapter.exercises]
