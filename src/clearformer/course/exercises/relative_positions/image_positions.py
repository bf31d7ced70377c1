"""relative_positions.image_positions: (x (..., T, d_k), rows (T,), columns (T,)) -> the shape of x."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _image_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([2]), np.array([3]))
    expect_close(got, [[np.cos(2), np.sin(2), np.cos(3), np.sin(3)]], "x = [1 0 1 0] at row 2, column 3")


def _image_definition(answer: Answer, rng: Rng) -> None:
    x, rows, columns = rng.normal(size=(2, 5, 12)), rng.integers(20, size=5), rng.integers(20, size=5)
    halves = zip(np.split(x, 2, axis=-1), (rows, columns), strict=True)
    expected = np.concatenate([F.rotary_encoding(half, places) for half, places in halves], axis=-1)
    expect_close(answer(x, rows, columns), expected, f"x (2, 5, 12) at rows {rows}, columns {columns}", atol=1e-9)


def _scores(answer: Answer, q: np.ndarray, k: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> Any:
    return np.asarray(answer(q, rows, columns)) @ np.asarray(answer(k, rows, columns)).T


def _image_relative(answer: Answer, rng: Rng) -> None:
    q, k = rng.normal(size=(2, 4, 8))
    rows, columns = rng.integers(9, size=(2, 4))
    down, right = (int(n) for n in rng.integers(1, 30, size=2))
    moved = _scores(answer, q, k, rows + down, columns + right)
    expect_close(
        moved, _scores(answer, q, k, rows, columns), f"scores after {down} down and {right} to the right", atol=1e-9
    )


def _image_tells_both(answer: Answer, rng: Rng) -> None:
    x = np.abs(rng.normal(size=(1, 8))) + 0.1

    def score(row: int, column: int) -> float:
        there = np.asarray(answer(x, np.array([row]), np.array([column])))
        return float(np.sum(there * np.asarray(answer(x, np.array([0]), np.array([0])))))

    lengths = x.reshape(2, 2, 2)  # halves, features a and b, pairs
    sizes = (lengths**2).sum(axis=1)  # (halves, pairs)
    speeds = np.array([1.0, 0.01])
    expected = [(sizes[0] * np.cos(speeds)).sum() + sizes[1].sum(), sizes[0].sum() + (sizes[1] * np.cos(speeds)).sum()]
    expect_close([score(1, 0), score(0, 1)], expected, "scores one row down, and one column to the right", atol=1e-9)


def _half_by_half(x: Any, first: Any, second: Any, **options: Any) -> Any:
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([F.rotary_encoding(a, first, **options), F.rotary_encoding(b, second, **options)], axis=-1)


EXERCISE = Write(
    id="relative_positions.image_positions",
    title="Positions in an image",
    difficulty="hard",
    points=5,
    minutes=25,
    may_use="NumPy and `F.rotary_encoding`",
    laws=(
        Law("a case worked by hand", _image_by_hand),
        Law("rows turn one half of the features, columns the other", _image_definition),
        Law("scores depend on the differences of rows and of columns only", _image_relative),
        Law("a step down and a step to the right are told apart", _image_tells_both),
    ),
    wrong_answers={
        "swaps rows and columns": lambda x, rows, columns: _half_by_half(x, columns, rows),
        "turns by the rows only": lambda x, rows, columns: F.rotary_encoding(x, rows),
        "adds row and column": lambda x, rows, columns: F.rotary_encoding(x, rows + columns),
        "multiplies row and column": lambda x, rows, columns: F.rotary_encoding(x, rows * columns),
        "turns all features by both": lambda x, rows, columns: F.rotary_encoding(F.rotary_encoding(x, rows), columns),
        "pairs neighbours": lambda x, rows, columns: _half_by_half(x, rows, columns, layout="interleaved"),
        "numbers the rows of x": lambda x, rows, columns: _half_by_half(x, np.arange(len(rows)), columns),
    },
)
