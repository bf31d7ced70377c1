"""positional_encoding.halfway: (row (d_model,), next_row (d_model,)) -> (d_model,)."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _encoding(p: float, d_model: int) -> np.ndarray:
    angles = p * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(d_model)


def _halfway_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([0.0, 1.0]), np.array([np.sin(1), np.cos(1)]))
    expect_close(got, [np.sin(0.5), np.cos(0.5)], "positions 0 and 1, d_model=2")


def _halfway_definition(answer: Answer, rng: Rng) -> None:
    p = int(rng.integers(1, 1000))
    got = answer(_encoding(p, 12), _encoding(p + 1, 12))
    expect_close(got, _encoding(p + 0.5, 12), f"positions {p} and {p + 1}, d_model=12", atol=1e-9)


def _halfway_lengths(answer: Answer, rng: Rng) -> None:
    p = int(rng.integers(1, 1000))
    pairs = np.reshape(answer(_encoding(p, 8), _encoding(p + 1, 8)), (4, 2))
    expect_close(np.linalg.norm(pairs, axis=-1), np.ones(4), "length of each pair, d_model=8", atol=1e-9)


def _pairwise(row: Any, factor: Any) -> Any:
    return row * np.repeat(factor, 2)


def _speeds(row: Any, exponent: float = 1.0) -> Any:
    return 10000.0 ** (-exponent * np.arange(0, len(row), 2) / len(row))


EXERCISE = Write(
    id="positional_encoding.halfway",
    title="Halfway",
    difficulty="hard",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _halfway_by_hand),
        Law("the definition, at a position that is not told", _halfway_definition),
        Law("every hand has length 1", _halfway_lengths),
    ),
    wrong_answers={
        "takes the mean": lambda row, after: (row + after) / 2,
        "gives the first row": lambda row, after: row,
        "divides by the cosine of the whole step": lambda row, after: _pairwise(
            (row + after) / 2, 1 / np.cos(_speeds(row))
        ),
        "forgets the 2 in the exponent": lambda row, after: _pairwise(
            (row + after) / 2, 1 / np.cos(_speeds(row, 0.5) / 2)
        ),
        "gives the whole row one length": lambda row, after: (
            (row + after) / np.linalg.norm(row + after) * np.sqrt(len(row) / 2)
        ),
        "steps back instead of ahead": lambda row, after: _pairwise(
            row * (1 + 2 * np.cos(_speeds(row))[0]) - after, 1 / (2 * np.cos(_speeds(row) / 2))
        ),
    },
)
