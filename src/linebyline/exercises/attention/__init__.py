"""The exercises on attention, in the order of the chapter."""

from linebyline.exercises.attention.masking import chapter
