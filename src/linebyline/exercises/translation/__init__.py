"""The exercises on translation, in the order of the chapter."""

from linebyline.exercises.translation.attending import chapter
