"""The exercises on search, in the order of the chapter."""

from linebyline.exercises.search import beams, best_first

EXERCISES = [*beams.chapter.exercises, *best_first.chapter.exercises]
