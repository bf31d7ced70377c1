"""The exercises on tokenization, one file each, in the order of the chapter."""

from linebyline.exercises.tokenization import (
    apply_merge,
    doubling,
    encode,
    stream,
    train,
    viterbi,
    wordpiece,
)

EXERCISES = tuple(module.EXERCISE for module in (doubling, wordpiece, apply_merge, encode, viterbi, stream, train))
