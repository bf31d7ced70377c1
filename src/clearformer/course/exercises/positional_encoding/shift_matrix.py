"""positional_encoding.shift_matrix: (n, d_model) -> (d_model, d_model)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _shift_by_hand(answer: Answer, rng: Rng) -> None:
    expected = [[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]]
    expect_close(answer(1, 2), expected, "n=1, d_model=2")


def _shift_moves(answer: Answer, rng: Rng) -> None:
    table, n = F.sinusoidal_encoding(60, 12), int(rng.integers(1, 30))
    moved = table[:30] @ np.asarray(answer(n, 12)).T
    expect_close(moved, table[n : n + 30], f"R_n PE(p), d_model=12, n={n}", atol=1e-9)


def _shift_back(answer: Answer, rng: Rng) -> None:
    there, back = np.asarray(answer(5, 8)), np.asarray(answer(-5, 8))
    expect_close(there @ back, np.eye(8), "R_5 times R_-5, d_model=8", atol=1e-9)


def _shift_adds(answer: Answer, rng: Rng) -> None:
    both = np.asarray(answer(2, 6)) @ np.asarray(answer(9, 6))
    expect_close(both, answer(11, 6), "R_2 times R_9 against R_11, d_model=6", atol=1e-9)


def _shift(n: int, d: int, *, sign: int = 1, exponent: float = 1.0, one_speed: bool = False) -> Any:
    matrix = np.zeros((d, d))
    for i in range(d // 2):
        angle = n if one_speed else n * 10000.0 ** (-2 * i * exponent / d)
        block = np.array([[np.cos(angle), sign * np.sin(angle)], [-sign * np.sin(angle), np.cos(angle)]])
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    return matrix


EXERCISE = Write(
    id="positional_encoding.shift_matrix",
    title="The matrix of a shift",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _shift_by_hand),
        Law("the matrix moves every row by n", _shift_moves),
        Law("a shift back undoes the shift", _shift_back),
        Law("shifts add up", _shift_adds),
    ),
    wrong_answers={
        "turns the other way": lambda n, d: _shift(n, d, sign=-1),
        "turns every pair at the same speed": lambda n, d: _shift(n, d, one_speed=True),
        "forgets the 2 in the exponent": lambda n, d: _shift(n, d, exponent=0.5),
        "forgets the blocks below the first": lambda n, d: np.where(np.arange(d) < 2, _shift(n, d), np.eye(d)),
        "ignores the sign of n": lambda n, d: _shift(abs(n), d),
        "moves rows by one, whatever n": lambda n, d: _shift(1, d),
        "scales instead of rotating": lambda n, d: np.cos(n) * np.eye(d),
    },
)
