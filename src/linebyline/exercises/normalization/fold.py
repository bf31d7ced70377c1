"""normalization.fold: (gamma (d,), beta (d,), w (d, n), b (n,)) -> (w (d, n), b (n,)) without gain and bias."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close
from linebyline.exercises.normalization._pairs import pair


def _fold_by_hand(answer: Answer, rng: Rng) -> None:
    w, b = pair(answer(np.array([2.0, 3.0]), np.array([1.0, 10.0]), np.array([[1.0], [1.0]]), np.array([5.0])))
    expect_close(w, [[2], [3]], "gain (2, 3) and weights (1, 1)")
    expect_close(b, [16], "bias (1, 10), weights (1, 1) and bias 5")


def _fold_same(answer: Answer, rng: Rng) -> None:
    x, gamma, beta = rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=5)
    w, b = rng.normal(size=(5, 7)), rng.normal(size=7)
    new_w, new_b = pair(answer(gamma, beta, w, b))
    got = F.layer_norm(x, np.ones(5), np.zeros(5)) @ np.asarray(new_w) + new_b
    expect_close(got, F.layer_norm(x, gamma, beta) @ w + b, "norm without gain and bias, then the new layer")


def _fold_in_place(gamma: Any, beta: Any, w: Any, b: Any) -> Any:
    b += beta @ w
    w *= gamma[:, None]
    return w, b


EXERCISE = Write(
    id="normalization.fold",
    title="Gain and bias, folded away",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _fold_by_hand),
        Law("the same output, without gain and bias", _fold_same),
    ),
    wrong_answers={
        "forgets the bias": lambda gamma, beta, w, b: (gamma[:, None] * w, b),
        "adds the bias unweighted": lambda gamma, beta, w, b: (gamma[:, None] * w, b + beta.sum()),
        "sends the bias through the gain": lambda gamma, beta, w, b: (
            gamma[:, None] * w,
            b + beta @ (gamma[:, None] * w),
        ),
        "divides by the gain": lambda gamma, beta, w, b: (w / gamma[:, None], b + beta @ w),
        "changes the caller's weights": _fold_in_place,
    },
)
