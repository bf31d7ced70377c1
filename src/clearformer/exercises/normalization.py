"""The exercises of the normalization chapter: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close
from clearformer.exercises.rms_backward import RMS_BACKWARD

Rng = np.random.Generator

FOUR = np.arange(1, 17).reshape(4, 4) / 10


# --- normalization.layer_norm: (x (..., d), gamma (d,), beta (d,), eps) -> (..., d) ---


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


LAYER_NORM = Exercise(
    id="normalization.layer_norm",
    title="Layer normalization",
    difficulty="easy",
    points=1,
    minutes=10,
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


# --- normalization.running: (running_mean (d,), running_var (d,), x (N, d), momentum) -> the two, updated ---


def _pair(got: Any) -> Any:
    if not isinstance(got, tuple) or len(got) != 2:
        raise AssertionError(f"expected a tuple of two arrays, got {type(got).__name__}")
    return got


def _expect_running(answer: Answer, mean: Any, var: Any, x: Any, momentum: float, what: str) -> None:
    d = x.shape[-1]
    _, new_mean, new_var = F.batch_norm_training(x, np.ones(d), np.zeros(d), mean, var, momentum=momentum)
    got_mean, got_var = _pair(answer(mean, var, x, momentum))
    expect_close(got_mean, new_mean, f"{what}, mean")
    expect_close(got_var, new_var, f"{what}, variance")


def _running_by_hand(answer: Answer, rng: Rng) -> None:
    got_mean, got_var = _pair(answer(np.array([0.0]), np.array([1.0]), np.array([[1.0], [3.0]]), 0.25))
    expect_close(got_mean, [0.5], "mean 0 after a batch of 1 and 3, momentum 0.25")
    expect_close(got_var, [1.25], "variance 1 after a batch of 1 and 3, momentum 0.25")


def _running_random(answer: Answer, rng: Rng) -> None:
    mean, var = rng.normal(size=3), rng.random(3)
    _expect_running(answer, mean, var, rng.normal(size=(5, 3)), 0.1, "5 rows of 3, momentum 0.1")


def _running_forgets(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(7, 2))
    got_mean, got_var = _pair(answer(rng.normal(size=2), rng.random(2), x, 1.0))
    expect_close(got_mean, x.mean(axis=0), "momentum 1, mean")
    expect_close(got_var, x.var(axis=0, ddof=1), "momentum 1, variance")


def _running_with(function: Any) -> Answer:
    def running(mean: Any, var: Any, x: Any, momentum: float) -> Any:
        new_mean, new_var = function(mean, var, x)
        return (1 - momentum) * mean + momentum * new_mean, (1 - momentum) * var + momentum * new_var

    return running


def _running_in_place(mean: Any, var: Any, x: Any, momentum: float) -> Any:
    mean += momentum * (x.mean(axis=0) - mean)
    var += momentum * (x.var(axis=0, ddof=1) - var)
    return mean, var


RUNNING = Exercise(
    id="normalization.running",
    title="Running statistics",
    difficulty="medium",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _running_by_hand),
        Law("equal to batch normalization in training", _running_random),
        Law("momentum 1 forgets the past", _running_forgets),
    ),
    wrong_answers={
        "divides the variance by N": _running_with(lambda mean, var, x: (x.mean(axis=0), x.var(axis=0))),
        "takes the momentum for the weight of the past": lambda mean, var, x, momentum: (
            momentum * mean + (1 - momentum) * x.mean(axis=0),
            momentum * var + (1 - momentum) * x.var(axis=0, ddof=1),
        ),
        "averages standard deviations": _running_with(lambda mean, var, x: (x.mean(axis=0), x.std(axis=0, ddof=1))),
        "takes the variance about the running mean": _running_with(
            lambda mean, var, x: (x.mean(axis=0), ((x - mean) ** 2).sum(axis=0) / (len(x) - 1))
        ),
        "leaves the variance alone": _running_with(lambda mean, var, x: (x.mean(axis=0), var)),
        "updates the caller's arrays": _running_in_place,
    },
)


# --- normalization.fold: (gamma (d,), beta (d,), w (d, n), b (n,)) -> (w (d, n), b (n,)) without gain and bias ---


def _fold_by_hand(answer: Answer, rng: Rng) -> None:
    w, b = _pair(answer(np.array([2.0, 3.0]), np.array([1.0, 10.0]), np.array([[1.0], [1.0]]), np.array([5.0])))
    expect_close(w, [[2], [3]], "gain (2, 3) and weights (1, 1)")
    expect_close(b, [16], "bias (1, 10), weights (1, 1) and bias 5")


def _fold_same(answer: Answer, rng: Rng) -> None:
    x, gamma, beta = rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=5)
    w, b = rng.normal(size=(5, 7)), rng.normal(size=7)
    new_w, new_b = _pair(answer(gamma, beta, w, b))
    got = F.layer_norm(x, np.ones(5), np.zeros(5)) @ np.asarray(new_w) + new_b
    expect_close(got, F.layer_norm(x, gamma, beta) @ w + b, "norm without gain and bias, then the new layer")


def _fold_in_place(gamma: Any, beta: Any, w: Any, b: Any) -> Any:
    b += beta @ w
    w *= gamma[:, None]
    return w, b


FOLD = Exercise(
    id="normalization.fold",
    title="Gain and bias, folded away",
    difficulty="medium",
    points=3,
    minutes=15,
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


# In the order of the chapter.
EXERCISES = (LAYER_NORM, RUNNING, FOLD, RMS_BACKWARD)
