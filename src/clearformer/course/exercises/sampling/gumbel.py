"""sampling.gumbel: (logits (..., vocab_size), u of the same shape, uniform) -> tokens (...)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _gumbel(logits: Any, u: Any) -> Any:
    return (logits - np.log(-np.log(u))).argmax(axis=-1)


def _gumbel_by_hand(answer: Answer, rng: Rng) -> None:
    u = np.exp(-np.array([[0.5, 1.0, 4.0], [4.0, 1.0, 2.0]]))  # -log u is .5 1 4 and 4 1 2
    logits = np.log([[1.0, 1.0, 9.0], [1.0, 1.0, 1.0]])
    what = "weights 1 1 9 over waiting times .5 1 4, weights 1 1 1 over 4 1 2"
    expect_close(answer(logits, u), [2, 1], what)


def _gumbel_frequencies(answer: Answer, rng: Rng) -> None:
    logits = np.array([2.0, 1.0, 0.0, -1.0, 1.5])
    tokens = np.asarray(answer(np.tile(logits, (20_000, 1)), rng.uniform(1e-12, 1, size=(20_000, 5))))
    expected = 20_000 * F.softmax(logits)
    chi_square = float(((np.bincount(tokens.astype(int), minlength=5)[:5] - expected) ** 2 / expected).sum())
    if not chi_square < 30:  # four degrees of freedom: once in 200,000 right answers
        raise AssertionError(f"20,000 draws: expected chi-square below 30, got {chi_square:.0f}")


def _gumbel_shift(answer: Answer, rng: Rng) -> None:
    logits, u = rng.normal(size=(50, 7)), rng.uniform(size=(50, 7))
    expect_close(answer(logits + 40, u), answer(logits, u), "40 added to all logits")


def _gumbel_masked(answer: Answer, rng: Rng) -> None:
    logits = np.where(np.arange(5) == 3, -1.0, -np.inf) * np.ones((40, 1))
    expect_close(answer(logits, rng.uniform(size=(40, 5))), np.full(40, 3), "all but token 3 masked with -inf")


EXERCISE = Write(
    id="sampling.gumbel",
    title="A draw without sums",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _gumbel_by_hand),
        Law("draws follow the softmax", _gumbel_frequencies),
        Law("adding a constant to the logits changes nothing", _gumbel_shift),
        Law("masked tokens never come", _gumbel_masked),
    ),
    wrong_answers={
        "adds no noise": lambda logits, u: logits.argmax(axis=-1),
        "adds the noise with the wrong sign": lambda logits, u: (logits + np.log(-np.log(u))).argmax(axis=-1),
        "adds the uniform numbers themselves": lambda logits, u: (logits + u).argmax(axis=-1),
        "takes one logarithm": lambda logits, u: (logits - np.log(u)).argmax(axis=-1),
        "multiplies logits by the noise": lambda logits, u: (-logits * np.log(-np.log(u))).argmax(axis=-1),
        "divides logits by waiting times": lambda logits, u: (logits / -np.log(u)).argmax(axis=-1),
        "uses one number for all tokens": lambda logits, u: _gumbel(
            logits, np.repeat(u[..., :1], u.shape[-1], axis=-1)
        ),
        "replaces -inf by 0": lambda logits, u: _gumbel(np.where(np.isfinite(logits), logits, 0.0), u),
        "takes the maximum over rows": lambda logits, u: (logits - np.log(-np.log(u))).argmax(axis=0),
    },
)
