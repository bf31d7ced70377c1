"""encoder.span: (start (T,), end (T,), longest) -> the first and the last token of the best span, and its score."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _span(start: Any, end: Any, longest: int) -> Any:
    T = len(start)
    pairs = [(i, j) for i in range(T) for j in range(i, min(T, i + longest))]
    i, j = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    return i, j, start[i] + end[j]


def _expect(answer: Answer, start: Any, end: Any, longest: int, what: str) -> None:
    got = answer(np.array(start), np.array(end), longest)
    expect_close(got, np.array(_span(start, end, longest), dtype=float), what)


def _by_hand(answer: Answer, rng: Rng) -> None:
    start, end = [0.0, 1.0, 5.0, 0.0], [4.0, 0.0, 2.0, 1.0]
    expect_close(answer(np.array(start), np.array(end), 4), [2.0, 2.0, 7.0], "the best end lies before the best start")
    start, end = [5.0, 1.0, 0.0, 2.0], [0.0, 1.0, 0.0, 6.0]
    expect_close(answer(np.array(start), np.array(end), 2), [3.0, 3.0, 8.0], "the best pair is longer than 2 tokens")


def _random(answer: Answer, rng: Rng) -> None:
    for T in (1, 2, 5, 9, 17):
        start, end = rng.normal(size=(2, T))
        for longest in (1, 3, T):
            _expect(answer, start, end, longest, f"{T} tokens, spans of {longest} at most")


def _turned(answer: Answer, rng: Rng) -> None:
    start, end = np.sort(rng.normal(size=11)), -np.sort(rng.normal(size=11))
    _expect(answer, start, end, 11, "scores of starts that rise, of ends that fall")


def _negative(answer: Answer, rng: Rng) -> None:
    start, end = rng.normal(size=(2, 7)) - 50
    _expect(answer, start, end, 3, "all scores far below 0")


def _apart(start: Any, end: Any, longest: int) -> Any:
    i, j = int(np.argmax(start)), int(np.argmax(end))
    return i, j, start[i] + end[j]


def _end_after_start(start: Any, end: Any, longest: int) -> Any:
    i = int(np.argmax(start))
    j = i + int(np.argmax(end[i : i + longest]))
    return i, j, start[i] + end[j]


def _swapped(start: Any, end: Any, longest: int) -> Any:
    i, j = sorted((int(np.argmax(start)), int(np.argmax(end))))
    return i, j, start[i] + end[j]


EXERCISE = Write(
    id="encoder.span",
    entry="best_span",
    title="An answer is a stretch of text",
    difficulty="hard",
    points=4,
    minutes=25,
    may_use="NumPy",
    laws=(
        Law("cases worked by hand", _by_hand),
        Law("texts of any length", _random),
        Law("starts that rise and ends that fall", _turned),
        Law("low scores", _negative),
    ),
    wrong_answers={
        "takes the best start and the best end, each by itself": _apart,
        "takes the best start, and the best end behind it": _end_after_start,
        "turns a span around that is the wrong way round": _swapped,
        "lets a span be as long as it likes": lambda start, end, longest: _span(start, end, len(start)),
        "lets a span be one token longer": lambda start, end, longest: _span(start, end, longest + 1),
        "leaves spans of one token out": lambda start, end, longest: (
            _span(start, end, longest)
            if len(start) == 1 or longest == 1
            else max(
                (
                    (i, j, start[i] + end[j])
                    for i in range(len(start))
                    for j in range(i + 1, min(len(start), i + longest))
                ),
                key=lambda found: found[2],
            )
        ),
        "cuts scores off at 0": lambda start, end, longest: _span(np.maximum(start, 0), np.maximum(end, 0), longest),
    },
)
