"""The exercises on Llama, in the order of the chapter."""

from linebyline.exercises.llama import names, weights

EXERCISES = [*names.chapter.exercises, *weights.chapter.exercises]
