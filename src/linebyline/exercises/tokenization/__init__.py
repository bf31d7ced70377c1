"""The exercises on tokenization, in the order of the chapter."""

from linebyline.exercises.tokenization.training import chapter
