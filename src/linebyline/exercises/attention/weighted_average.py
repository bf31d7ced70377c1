"""attention.weighted_average: (weights (S,), values (S, d_v)) -> (d_v,)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_raises


def _average_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([1.0, 3.0]), np.array([[0.0, 4.0], [8.0, 0.0]]))
    expect_close(got, [6.0, 1.0], "weights [1, 3] of the values [0, 4] and [8, 0]")


def _average_proportions(answer: Answer, rng: Rng) -> None:
    weights, values = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
    once = answer(weights, values)
    expect_close(answer(7 * weights, values), once, "the same weights times 7 should change nothing")


def _average_equal(answer: Answer, rng: Rng) -> None:
    values = rng.normal(size=(7, 2))
    expect_close(answer(np.full(7, 0.3), values), values.mean(axis=0), "equal weights should give the mean")


def _average_zero_weight(answer: Answer, rng: Rng) -> None:
    weights, values = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
    weights[2] = 0
    without = np.average(np.delete(values, 2, axis=0), axis=0, weights=np.delete(weights, 2))
    expect_close(answer(weights, values), without, "a value of weight 0 should not count")


def _average_refuses_nothing(answer: Answer, rng: Rng) -> None:
    values = rng.normal(size=(3, 2))
    expect_raises(lambda: answer(np.zeros(3), values), ValueError, "weights that are all zero")


def _average_normalises_in_place(weights: Any, values: Any) -> Any:
    if not weights.any():
        raise ValueError
    weights /= weights.sum()
    return weights @ values


EXERCISE = Write(
    id="attention.weighted_average",
    title="A weighted average",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _average_by_hand),
        Law("only the proportions of the weights matter", _average_proportions),
        Law("equal weights give the mean", _average_equal),
        Law("a weight of zero leaves its value out", _average_zero_weight),
        Law("weights that are all zero are refused", _average_refuses_nothing),
    ),
    wrong_answers={
        "does not normalise": lambda w, v: w @ v,
        "divides by the number of values, not by the sum of the weights": lambda w, v: w @ v / len(w),
        "ignores the weights": lambda w, v: v.mean(axis=0),
        "takes the softmax of the weights": lambda w, v: F.softmax(w) @ v,
        "gives nan for weights that are all zero": lambda w, v: w @ v / w.sum(),
        "gives zeros for weights that are all zero": lambda w, v: w @ v / max(w.sum(), 1e-300),
        "averages over the wrong axis": lambda w, v: (w[:, None] * v).sum(axis=1) / w.sum(),
        "normalises the caller's weights in place": _average_normalises_in_place,
    },
)
