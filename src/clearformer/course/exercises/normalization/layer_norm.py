"""normalization.layer_norm: (x (..., d), gamma (d,), beta (d,), eps) -> (..., d)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close

FOUR = np.arange(1, 17).reshape(4, 4) / 10


def _layer_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 3.0], [10.0, 30.0]]), np.array([2.0, 3.0]), np.array([10.0, 20.0]), 0.0)
    expect_close(got, [[8, 23], [8, 23]], "rows (1, 3) and (10, 30), gain (2, 3), bias (10, 20), eps=0")


def _layer_eps(answer: Answer, rng: Rng) -> None:
    got = answer(FOUR, np.ones(4), np.zeros(4), 0.1)
    expect_close(got, F.layer_norm(FOUR, np.ones(4), np.zeros(4), 0.1), "the four rows, eps=0.1")


def _layer_axes(answer: Answer, rng: Rng) -> None:
    x, (gamma, beta) = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 5))
    expect_close(answer(x, gamma, beta, 1e-5), F.layer_norm(x, gamma, beta), "x of shape (2, 3, 5)")


def _layer_flat(answer: Answer, rng: Rng) -> None:
    beta = rng.normal(size=3)
    expect_close(answer(np.full((2, 3), 7.0), np.ones(3), beta, 1e-5), [beta, beta], "rows of equal numbers")


def _layer_in_place(x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    x -= x.mean(axis=-1, keepdims=True)
    return gamma * x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) + beta


def _layer_outside(x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + eps) + beta


def _layer_unbiased(x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    variance = x.var(axis=-1, keepdims=True, ddof=1)
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(variance + eps) + beta


def _layer_whole(x: Any, gamma: Any, beta: Any, eps: float) -> Any:
    return gamma * (x - x.mean()) / np.sqrt(x.var() + eps) + beta


EXERCISE = Write(
    id="normalization.layer_norm",
    title="Layer normalization",
    difficulty="easy",
    points=1,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _layer_by_hand),
        Law("eps is added to the variance, under the root", _layer_eps),
        Law("any leading axes", _layer_axes),
        Law("a row of equal numbers gives the bias", _layer_flat),
    ),
    wrong_answers={
        "leaves eps out": lambda x, gamma, beta, eps: F.layer_norm(x, gamma, beta, 0.0),
        "adds eps to the standard deviation": _layer_outside,
        "divides by d - 1": _layer_unbiased,
        "takes one mean over all rows": _layer_whole,
        "normalizes the columns": lambda x, gamma, beta, eps: (
            gamma * (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + eps) + beta
        ),
        "stretches the bias too": lambda x, gamma, beta, eps: gamma * (F.layer_norm(x, np.ones_like(gamma), beta, eps)),
        "takes no mean away": lambda x, gamma, beta, eps: F.rms_norm(x, gamma, eps) + beta,
        "centres the caller's rows": _layer_in_place,
    },
)
