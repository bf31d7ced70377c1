"""The exercises on Llama, in the order of the chapter."""

from linebyline.exercises.llama.weights import chapter
