"""positional_encoding.rotary: (x (..., T, d_k), positions (T,)) -> the same shape."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _rotary_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 0.0, 0.0, 1.0]]), np.array([2]))  # pairs (0, 2) and (1, 3), angles 2 and 0.02
    expected = [[np.cos(2), -np.sin(0.02), np.sin(2), np.cos(0.02)]]
    expect_close(got, expected, "x = [1 0 0 1] at position 2")


def _rotary_definition(answer: Answer, rng: Rng) -> None:
    x, positions = rng.normal(size=(2, 3, 5, 8)), np.array([0, 1, 7, 100, 1000])
    expected = F.rotary_encoding(x, positions)
    expect_close(answer(x, positions), expected, "x (2, 3, 5, 8) at positions 0, 1, 7, 100, 1000", atol=1e-9)


def _rotary_lengths(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(5, 6))
    lengths = np.linalg.norm(answer(x, np.arange(5)), axis=-1)
    expect_close(lengths, np.linalg.norm(x, axis=-1), "lengths of the rows")


def _rotary_relative(answer: Answer, rng: Rng) -> None:
    q, k = rng.normal(size=(2, 4, 6))

    def scores(first: int) -> Any:
        places = np.arange(first, first + 4)
        return np.asarray(answer(q, places)) @ np.asarray(answer(k, places)).T

    expect_close(scores(50), scores(0), "scores at positions 50 to 53 against 0 to 3", atol=1e-9)


def _rotary_order(answer: Answer, rng: Rng) -> None:
    q, k = rng.normal(size=(2, 1, 6))
    ahead = np.sum(np.asarray(answer(q, np.array([4]))) * k)
    expected = np.sum(q * F.rotary_encoding(k, np.array([-4])))
    expect_close(ahead, expected, "query 4 after the key, against key 4 before the query", atol=1e-9)


def _rotate(x: Any, positions: Any, *, sign: int = 1, speed: float = 1.0, both: int = 1) -> Any:
    half = x.shape[-1] // 2
    angles = np.asarray(positions)[..., None] * 10000.0 ** (-speed * np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    cos, sin = np.cos(angles), sign * np.sin(angles)
    return np.concatenate([a * cos - b * sin, a * sin + both * b * cos], axis=-1)


def _rotates_in_place(x: Any, positions: Any) -> Any:
    x[...] = _rotate(x, positions)
    return x


EXERCISE = Write(
    id="positional_encoding.rotary",
    title="The rotary encoding",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _rotary_by_hand),
        Law("the definition, with leading axes and any positions", _rotary_definition),
        Law("lengths are kept", _rotary_lengths),
        Law("scores depend on the difference of positions only", _rotary_relative),
        Law("positive positions turn counterclockwise", _rotary_order),
    ),
    wrong_answers={
        "pairs neighbours": lambda x, p: F.rotary_encoding(x, p, layout="interleaved"),
        "turns the other way": lambda x, p: _rotate(x, p, sign=-1),
        "reflects instead of rotating": lambda x, p: _rotate(x, p, both=-1),
        "numbers rows instead of using the positions": lambda x, p: _rotate(x, np.arange(x.shape[-2])),
        "takes the frequencies of twice the width": lambda x, p: _rotate(x, p, speed=0.5),
        "turns all pairs at one speed": lambda x, p: _rotate(x, p, speed=0.0),
        "adds the sinusoidal encoding": lambda x, p: x + F.sinusoidal_encoding(int(max(p)) + 1, x.shape[-1])[p],
        "scales by the cosine and forgets the sine": lambda x, p: (
            x * np.cos(np.asarray(p)[..., None] * np.ones(x.shape[-1]))
        ),
        "rotates the caller's array in place": _rotates_in_place,
    },
)
