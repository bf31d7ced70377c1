"""The exercises on the encoder, in the order of the chapter."""

from linebyline.exercises.encoder import masks_and_means, pairs_and_spans

EXERCISES = [*masks_and_means.chapter.exercises, *pairs_and_spans.chapter.exercises]
