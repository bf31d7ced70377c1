"""normalization.running: (running_mean (d,), running_var (d,), x (N, d), momentum) -> the two, updated."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close
from clearformer.course.exercises.normalization._pairs import pair


def _expect_running(answer: Answer, mean: Any, var: Any, x: Any, momentum: float, what: str) -> None:
    d = x.shape[-1]
    _, new_mean, new_var = F.batch_norm_training(x, np.ones(d), np.zeros(d), mean, var, momentum=momentum)
    got_mean, got_var = pair(answer(mean, var, x, momentum))
    expect_close(got_mean, new_mean, f"{what}, mean")
    expect_close(got_var, new_var, f"{what}, variance")


def _running_by_hand(answer: Answer, rng: Rng) -> None:
    got_mean, got_var = pair(answer(np.array([0.0]), np.array([1.0]), np.array([[1.0], [3.0]]), 0.25))
    expect_close(got_mean, [0.5], "mean 0 after a batch of 1 and 3, momentum 0.25")
    expect_close(got_var, [1.25], "variance 1 after a batch of 1 and 3, momentum 0.25")


def _running_random(answer: Answer, rng: Rng) -> None:
    mean, var = rng.normal(size=3), rng.random(3)
    _expect_running(answer, mean, var, rng.normal(size=(5, 3)), 0.1, "5 rows of 3, momentum 0.1")


def _running_forgets(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(7, 2))
    got_mean, got_var = pair(answer(rng.normal(size=2), rng.random(2), x, 1.0))
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


EXERCISE = Write(
    id="normalization.running",
    title="Running statistics",
    difficulty="medium",
    points=2,
    minutes=10,
    may_use="NumPy",
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
