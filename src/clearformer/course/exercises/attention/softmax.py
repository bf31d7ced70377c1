"""attention.softmax: z (..., n) -> (..., n)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Exercise, Law, Rng, expect_close


def _softmax_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.log([1.0, 3.0, 4.0]))
    expect_close(got, [0.125, 0.375, 0.5], "scores log 1, log 3, log 4")


def _softmax_sums(answer: Answer, rng: Rng) -> None:
    weights = answer(rng.normal(size=(2, 3, 5)))
    expect_close(np.sum(weights, axis=-1), np.ones((2, 3)), "sums over the last axis of scores (2, 3, 5)")


def _softmax_rows(answer: Answer, rng: Rng) -> None:
    z = rng.normal(size=(4, 4))
    one_by_one = np.array([answer(row) for row in z])
    expect_close(answer(z), one_by_one, "a 4 x 4 array against its rows one by one")


def _softmax_shift(answer: Answer, rng: Rng) -> None:
    z = rng.normal(size=7)
    expect_close(answer(z + 3.0), answer(z), "adding 3 to every score should change nothing")


def _softmax_large(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1e4, 0.0, -1e4], [-1e4, -1e4, -1e4]]))
    expect_close(got, [[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]], "rows [1e4, 0, -1e4] and three times -1e4")


def _softmax_shifts_in_place(z: Any) -> Any:
    z -= z.max(axis=-1, keepdims=True)
    return np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True)


EXERCISE = Exercise(
    id="attention.softmax",
    title="A softmax that survives large scores",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _softmax_by_hand),
        Law("weights sum to one over the last axis", _softmax_sums),
        Law("each row is treated on its own", _softmax_rows),
        Law("adding a constant to all scores changes nothing", _softmax_shift),
        Law("finite for scores up to 10,000 either way", _softmax_large),
    ),
    wrong_answers={
        "lets exp overflow": lambda z: np.exp(z) / np.exp(z).sum(axis=-1, keepdims=True),
        "subtracts the maximum of the whole array": lambda z: (
            np.exp(z - z.max()) / np.exp(z - z.max()).sum(axis=-1, keepdims=True)
        ),
        "normalises over the whole array": lambda z: np.exp(z - z.max()) / np.exp(z - z.max()).sum(),
        "normalises over the first axis": lambda z: F.softmax(z, axis=0),
        "forgets keepdims": lambda z: np.exp(z) / np.exp(z).sum(axis=-1),
        "divides the scores by their sum, without exp": lambda z: z / z.sum(axis=-1, keepdims=True),
        "uses powers of 2": lambda z: F.softmax(z * np.log(2.0)),
        "clips the scores instead of shifting them": lambda z: F.softmax(np.clip(z, -50, 2)),
        "shifts the caller's scores in place": _softmax_shifts_in_place,
    },
)
