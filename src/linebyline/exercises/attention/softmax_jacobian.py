"""attention.softmax_jacobian: (weights (..., n), d_weights (..., n)) -> d_scores (..., n)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, peak_memory


def _vjp_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([0.25, 0.75]), np.array([4.0, 0.0]))
    expect_close(got, [0.75, -0.75], "weights [1/4, 3/4], incoming gradient [4, 0]")


def _vjp_differences(answer: Answer, rng: Rng) -> None:
    z, d_weights, step = rng.normal(size=5), rng.normal(size=5), 1e-5
    shifts = step * np.eye(5)  # row i moves score i
    slopes = (F.softmax(z + shifts) - F.softmax(z - shifts)) @ d_weights / (2 * step)
    expect_close(answer(F.softmax(z), d_weights), slopes, "against finite differences", rtol=1e-6, atol=1e-8)


def _vjp_sums(answer: Answer, rng: Rng) -> None:
    weights, d_weights = F.softmax(rng.normal(size=(3, 5))), rng.normal(size=(3, 5))
    sums = np.sum(answer(weights, d_weights), axis=-1)
    expect_close(sums, np.zeros(3), "sums of the gradients of a row (moving all its scores changes nothing)")


def _vjp_rows(answer: Answer, rng: Rng) -> None:
    weights, d_weights = F.softmax(rng.normal(size=(2, 4, 4))), rng.normal(size=(2, 4, 4))
    pairs = zip(weights.reshape(8, 4), d_weights.reshape(8, 4), strict=True)
    one_by_one = np.array([answer(row, d_row) for row, d_row in pairs]).reshape(2, 4, 4)
    expect_close(answer(weights, d_weights), one_by_one, "a (2, 4, 4) array against its rows one by one")


def _vjp_memory(answer: Answer, rng: Rng) -> None:
    n = 1500
    weights, d_weights = F.softmax(rng.normal(size=n)), rng.normal(size=n)
    used = peak_memory(answer, weights, d_weights) / (8 * n)
    assert used < n / 4, f"n={n}: expected working memory for a few rows of n numbers, got {used:.0f} rows"


def _vjp_by_jacobian(weights: Any, d_weights: Any) -> Any:
    jacobian = weights[..., None] * (np.eye(weights.shape[-1]) - weights[..., None, :])
    return (jacobian @ d_weights[..., None])[..., 0]


def _vjp_in_place(weights: Any, d_weights: Any) -> Any:
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


EXERCISE = Write(
    id="attention.softmax_jacobian",
    entry="softmax_vjp",
    title="Back through the softmax",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _vjp_by_hand),
        Law("equal to finite differences of the softmax", _vjp_differences),
        Law("the gradients of a row sum to zero", _vjp_sums),
        Law("each row is treated on its own", _vjp_rows),
        Law("the n x n Jacobian is never built", _vjp_memory),
    ),
    wrong_answers={
        "keeps only the diagonal of the Jacobian": lambda w, d: w * (1 - w) * d,
        "forgets the row term": lambda w, d: w * d,
        "subtracts the plain sum": lambda w, d: w * (d - d.sum(axis=-1, keepdims=True)),
        "subtracts the plain mean": lambda w, d: w * (d - d.mean(axis=-1, keepdims=True)),
        "forgets the outer weights": lambda w, d: d - (w * d).sum(axis=-1, keepdims=True),
        "flips the sign": lambda w, d: w * ((w * d).sum(axis=-1, keepdims=True) - d),
        "sums over the whole array": lambda w, d: w * (d - (w * d).sum()),
        "forgets keepdims": lambda w, d: w * (d - (w * d).sum(axis=-1)),
        "builds the Jacobian": _vjp_by_jacobian,
        "changes the caller's gradient in place": _vjp_in_place,
    },
)
