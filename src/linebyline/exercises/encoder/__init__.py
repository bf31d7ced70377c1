"""The exercises on the encoder, in the order of the chapter."""

from linebyline.exercises.encoder.pairs_and_spans import chapter
