"""The exercises on published models, in the order of the chapter."""

from linebyline.exercises.a_real_model.numbers import chapter
