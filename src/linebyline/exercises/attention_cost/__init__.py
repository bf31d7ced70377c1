"""The exercises on what attention costs, in the order of the chapter."""

from linebyline.exercises.attention_cost import parts, streams

EXERCISES = [*parts.chapter.exercises, *streams.chapter.exercises]
