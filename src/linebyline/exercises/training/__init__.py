"""The exercises on training, in the order of the chapter."""

from linebyline.exercises.training.adam import chapter
