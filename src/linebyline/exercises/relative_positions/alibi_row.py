"""relative_positions.alibi_row: (slope, S) -> (S,)."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _row_by_hand(answer: Answer, rng: Rng) -> None:
    row = np.asarray(answer(np.log(2), 3))  # each step back halves the weight
    expect_close(F.softmax(row), [1 / 7, 2 / 7, 4 / 7], "weights of three keys that score alike, slope ln 2")


def _row_differences(answer: Answer, rng: Rng) -> None:
    slope = float(rng.uniform(0.1, 1))
    expect_close(np.diff(answer(slope, 7)), np.full(6, slope), f"from key to key, slope={slope:.2f}, S=7")


def _row_serves_every_query(answer: Answer, rng: Rng) -> None:
    slope, scores = float(rng.uniform(0.1, 1)), rng.normal(size=(5, 5))
    distance = np.arange(5)[:, None] - np.arange(5)
    causal = F.causal_mask(5)
    expected = F.softmax(np.where(causal, scores - slope * distance, -np.inf))
    got = F.softmax(np.where(causal, scores + np.asarray(answer(slope, 5)), -np.inf))
    expect_close(got, expected, f"weights of five queries, slope={slope:.2f}", atol=1e-9)


EXERCISE = Write(
    id="relative_positions.alibi_row",
    title="One row for all queries",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _row_by_hand),
        Law("each key gains the slope over the one before", _row_differences),
        Law("every query gets the weights that ALiBi gives it", _row_serves_every_query),
    ),
    wrong_answers={
        "prefers far keys": lambda slope, S: -slope * np.arange(S),
        "gives the same to all keys": lambda slope, S: np.full(S, -slope),
        "forgets the slope": lambda slope, S: np.arange(S) - S + 1.0,
        "multiplies instead of adding": lambda slope, S: np.exp(slope * np.arange(S)),
        "halves with each step, whatever the slope": lambda slope, S: np.log(2) * np.arange(S),
        "squares the distance": lambda slope, S: -slope * np.arange(S)[::-1] ** 2.0,
    },
)
