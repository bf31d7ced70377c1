"""The exercises on translation, in the order of the chapter."""

from linebyline.exercises.translation import attending, words

EXERCISES = [*words.chapter.exercises, *attending.chapter.exercises]
