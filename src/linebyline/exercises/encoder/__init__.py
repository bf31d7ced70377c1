"""The exercises on the encoder, one file each, in the order of the chapter."""

from linebyline.exercises.encoder import asked_once, hide, mean, pair, parameters, span

EXERCISES = tuple(module.EXERCISE for module in (asked_once, parameters, mean, hide, pair, span))
