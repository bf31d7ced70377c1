"""translation.shift: (words (B, T), start, end, pad) -> what a decoder reads, what it shall say, and what counts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

START, END, PAD = 1, 2, 0


def _shift(words: Any, start: int, end: int, pad: int) -> Any:
    edge = np.full((len(words), 1), pad)
    inputs = np.where(np.arange(words.shape[1] + 1) == 0, start, np.append(edge, words, axis=1))  # (B, T + 1)
    targets = np.append(words, edge, axis=1)  # (B, T + 1)
    targets[np.arange(len(words)), (words != pad).sum(axis=1)] = end
    return inputs, targets, targets != pad


def _expect(answer: Answer, words: np.ndarray, start: int, end: int, pad: int, what: str) -> None:
    """Compare where something counts: what is read at the other places has no effect."""
    inputs, targets, counts = _shift(words, start, end, pad)
    got = answer(words, start, end, pad)
    parts = got if isinstance(got, tuple) and len(got) == 3 else (None,) * 3
    expect_close(parts[2], counts, f"{what}: which count")
    for part, expected, name in zip(parts, (inputs, targets), ("inputs", "targets"), strict=False):
        if np.shape(part) == expected.shape:
            part = np.where(counts, part, expected)
        expect_close(part, expected, f"{what}: {name}")


def _draw(rng: Rng, pad: int = PAD) -> np.ndarray:
    lengths = rng.permutation(6)  # no words and all of them among them
    words = rng.integers(10, 90, size=(6, 5))
    return np.where(np.arange(5) < lengths[:, None], words, pad)


def _by_hand(answer: Answer, rng: Rng) -> None:
    _expect(answer, np.array([[5, 6, 7], [8, 0, 0]]), START, END, PAD, "words 5 6 7 and 8, start 1, end 2, padding 0")


def _unequal(answer: Answer, rng: Rng) -> None:
    _expect(answer, _draw(rng), START, END, PAD, "0 to 5 words, start 1, end 2, padding 0")


def _other_ids(answer: Answer, rng: Rng) -> None:
    _expect(answer, _draw(rng, pad=99), 0, 7, 99, "0 to 5 words, start 0, end 7, padding 99")


def _as_many(answer: Answer, rng: Rng) -> None:
    words = _draw(rng)
    counts = np.asarray(answer(words, START, END, PAD)[2])
    expect_close(counts.sum(axis=1), (words != PAD).sum(axis=1) + 1, "counted in each row: its words and their end")


def _read_next(answer: Answer, rng: Rng) -> None:
    inputs, targets, counts = (np.asarray(part) for part in answer(_draw(rng), START, END, PAD))
    both = counts[:, 1:] & counts[:, :-1]
    expect_close(inputs[:, 1:][both], targets[:, :-1][both], "inputs after the first, against the targets before them")


Change = Callable[..., Any]


def _but(change: Change) -> Answer:
    """Give the right answer with a change of it; the change gets inputs, targets, counts and the three ids."""

    def answer(words: Any, start: int, end: int, pad: int) -> Any:
        return change(*_shift(words, start, end, pad), start, end, pad)

    return answer


def _end_in_the_last_column(words: Any, start: int, end: int, pad: int) -> Any:
    targets = np.insert(words, words.shape[1], end, axis=1)
    return np.insert(words, 0, start, axis=1), targets, targets != pad


def _clears_the_words(words: Any, start: int, end: int, pad: int) -> Any:
    parts = _shift(words, start, end, pad)
    words[:] = pad
    return parts


EXERCISE = Write(
    id="translation.shift",
    entry="teacher_forced",
    title="What the decoder reads",
    difficulty="easy",
    points=2,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("sentences of unequal length", _unequal),
        Law("other ids for start, end and padding", _other_ids),
        Law("each word counts, and each end", _as_many),
        Law("what was to be said is read next", _read_next),
    ),
    wrong_answers={
        "lets the decoder read what it shall say": _but(lambda i, t, c, start, end, pad: (t, t, c)),
        "shifts the other way": _but(lambda i, t, c, start, end, pad: (t, i, c)),
        "puts the end into the last column": _end_in_the_last_column,
        "never ends": lambda words, start, end, pad: (_shift(words, start, end, pad)[0][:, :-1], words, words != pad),
        "does not count the end": _but(lambda i, t, c, start, end, pad: (i, t, c & (t != end))),
        "counts the padding": _but(lambda i, t, c, start, end, pad: (i, t, np.ones_like(c))),
        "counts no first word": _but(lambda i, t, c, start, end, pad: (i, t, c & (i != start))),
        "takes padding to be 0": lambda words, start, end, pad: _shift(words, start, end, 0),
        "reads no start": _but(lambda i, t, c, start, end, pad: (np.where(i == start, pad, i), t, c)),
        "writes into the words": _clears_the_words,
    },
)
