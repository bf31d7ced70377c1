"""feed_forward.prune: (x (T, d), w_in (d, d_ff), b_in (d_ff,), w_out (d_ff, n)) -> the three without dead units."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_equal


def _three(got: Any) -> Any:
    if not isinstance(got, tuple) or len(got) != 3:
        raise AssertionError(f"expected a tuple of three arrays, got {type(got).__name__}")
    return [np.asarray(array) for array in got]


def _prune(x: Any, w_in: Any, b_in: Any, w_out: Any) -> Any:
    alive = (x @ w_in + b_in > 0).any(axis=0)  # (d_ff,)
    return w_in[:, alive], b_in[alive], w_out[alive]


def _prune_by_hand(answer: Answer, rng: Rng) -> None:
    x, w_in = np.array([[1.0], [2.0]]), np.array([[1.0, -1.0, 1.0, -1.0]])
    b_in, w_out = np.array([0.0, 0.0, -1.5, 1.5]), np.array([[1.0], [2.0], [3.0], [4.0]])
    got = _three(answer(x, w_in, b_in, w_out))
    for name, array, expected in zip(
        ("w_in", "b_in", "w_out"), got, ([[1, 1, -1]], [0, -1.5, 1.5], [[1], [3], [4]]), strict=True
    ):
        expect_close(array, expected, f"four units, of which the second never fires, {name}")


def _prune_same(answer: Answer, rng: Rng) -> None:
    x, w_in, w_out = rng.normal(size=(3, 5)), rng.normal(size=(5, 40)), rng.normal(size=(40, 2))
    b_in = rng.normal(size=40) - 2
    w, b, v = _three(answer(x, w_in, b_in, w_out))
    expect_equal(len(b), len(_prune(x, w_in, b_in, w_out)[1]), "number of units left of 40")
    expect_close(F.relu(x @ w + b) @ v, F.relu(x @ w_in + b_in) @ w_out, "output with the units that are left")


def _prune_edge(answer: Answer, rng: Rng) -> None:
    got = _three(answer(np.zeros((2, 1)), np.ones((1, 2)), np.array([0.0, 1.0]), np.ones((2, 1))))
    expect_close(got[1], [1], "a unit that only ever sees 0, and one that sees 1: biases left")


EXERCISE = Write(
    id="feed_forward.prune",
    title="Units that never fire",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _prune_by_hand),
        Law("the same output with fewer units", _prune_same),
        Law("0 gives nothing, so a unit that stays at 0 goes too", _prune_edge),
    ),
    wrong_answers={
        "keeps what fires on every row": lambda x, w_in, b_in, w_out: (lambda on: (w_in[:, on], b_in[on], w_out[on]))(
            (x @ w_in + b_in > 0).all(axis=0)
        ),
        "forgets the bias": lambda x, w_in, b_in, w_out: _prune(x, w_in, 0 * b_in, w_out),
        "keeps units that stay at 0": lambda x, w_in, b_in, w_out: (lambda on: (w_in[:, on], b_in[on], w_out[on]))(
            (x @ w_in + b_in >= 0).any(axis=0)
        ),
        "judges by the weights": lambda x, w_in, b_in, w_out: (lambda on: (w_in[:, on], b_in[on], w_out[on]))(
            (w_in > 0).any(axis=0)
        ),
        "prunes nothing": lambda x, w_in, b_in, w_out: (w_in, b_in, w_out),
        "leaves the second matrix as it is": lambda x, w_in, b_in, w_out: (*_prune(x, w_in, b_in, w_out)[:2], w_out),
    },
)
