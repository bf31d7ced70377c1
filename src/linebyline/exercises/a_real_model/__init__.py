"""The exercises on published models, in the order of the chapter."""

from linebyline.exercises.a_real_model import folders, numbers

EXERCISES = [*folders.chapter.exercises, *numbers.chapter.exercises]
