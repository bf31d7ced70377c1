"""relative_positions.moved_keys: (k (..., S, d_k), n) -> the same shape."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _moved_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 0.0], [0.0, 1.0]]), 2)  # one pair, turned by two radians
    expected = [[np.cos(2), np.sin(2)], [-np.sin(2), np.cos(2)]]
    expect_close(got, expected, "k = [1 0], [0 1] moved by 2")


def _moved_definition(answer: Answer, rng: Rng) -> None:
    k, positions, n = rng.normal(size=(2, 3, 5, 8)), np.arange(20, 25), int(rng.integers(1, 20))
    cached = F.rotary_encoding(k, positions)
    expected = F.rotary_encoding(k, positions - n)
    expect_close(answer(cached, -n), expected, f"k (2, 3, 5, 8) from 20 to 24, moved by {-n}", atol=1e-9)


def _moved_and_back(answer: Answer, rng: Rng) -> None:
    k, n = rng.normal(size=(4, 6)), int(rng.integers(1, 100))
    expect_close(answer(answer(k, n), -n), k, f"moved by {n} and back, d_k=6", atol=1e-9)


def _moved_scores(answer: Answer, rng: Rng) -> None:
    q, k = rng.normal(size=(2, 4, 6))
    positions, n = np.arange(4), int(rng.integers(1, 50))
    scores = F.rotary_encoding(q, positions) @ F.rotary_encoding(k, positions).T
    moved = np.asarray(answer(F.rotary_encoding(k, positions), n))
    got = F.rotary_encoding(q, positions + n) @ moved.T
    expect_close(got, scores, f"scores after queries and keys moved by {n}", atol=1e-9)


def _turn(k: Any, angles: Any, *, back: int = 1) -> Any:
    a, b = np.split(k, 2, axis=-1)
    cos, sin = np.cos(angles), np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + back * b * cos], axis=-1)


def _speeds(k: Any) -> Any:
    return 10000.0 ** (-np.arange(0, k.shape[-1], 2) / k.shape[-1])


EXERCISE = Write(
    id="relative_positions.moved_keys",
    title="Keys that move",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy and `F.rotary_encoding`",
    laws=(
        Law("a case worked by hand", _moved_by_hand),
        Law("as if the keys had been rotated to the new positions", _moved_definition),
        Law("there and back is nowhere", _moved_and_back),
        Law("scores stay when queries move as well", _moved_scores),
    ),
    wrong_answers={
        "leaves the keys where they are": lambda k, n: k,
        "turns the other way": lambda k, n: _turn(k, -n * _speeds(k)),
        "turns row s by its number, too": lambda k, n: _turn(k, (n + np.arange(k.shape[-2]))[:, None] * _speeds(k)),
        "rotates from 0 again": lambda k, n: F.rotary_encoding(k, np.arange(k.shape[-2])),
        "turns all pairs at one speed": lambda k, n: _turn(k, n * np.ones(k.shape[-1] // 2)),
        "pairs neighbours": lambda k, n: F.rotary_encoding(k, np.array(n), layout="interleaved"),
        "reflects instead of rotating": lambda k, n: _turn(k, n * _speeds(k), back=-1),
        "shifts the rows": lambda k, n: np.roll(k, n, axis=-2),
    },
)
