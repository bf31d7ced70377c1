"""The exercises on sampling: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close
from clearformer.exercises.cuts import CUTS
from clearformer.exercises.nucleus import NUCLEUS

Rng = np.random.Generator


# --- sampling.inverse: (p (vocab_size,), u) -> the token in whose part of [0, 1) the number u lies ---


def _inverse(p: Any, u: float) -> int:
    return int(np.searchsorted(np.cumsum(p), u, side="right"))


def _inverse_by_hand(answer: Answer, rng: Rng) -> None:
    p = np.array([0.25, 0.5, 0.25])
    got = [answer(p, u) for u in (0.1, 0.3, 0.7, 0.8, 0.99)]
    expect_close(got, [0, 1, 1, 2, 2], "p = .25 .5 .25 at u = .1 .3 .7 .8 .99")


def _inverse_borders(answer: Answer, rng: Rng) -> None:
    p = np.array([0.25, 0.5, 0.25])
    expect_close([answer(p, u) for u in (0.0, 0.25, 0.75)], [0, 1, 2], "at u = 0 .25 .75, where a part begins")


def _inverse_zero(answer: Answer, rng: Rng) -> None:
    p = np.array([0.0, 0.5, 0.0, 0.5])
    expect_close([answer(p, u) for u in (0.0, 0.5, 0.9)], [1, 3, 3], "p = 0 .5 0 .5: impossible tokens never come")


def _inverse_frequencies(answer: Answer, rng: Rng) -> None:
    p = rng.dirichlet(np.full(7, 3.0))
    grid = (np.arange(2000) + 0.5) / 2000
    counts = np.bincount([int(answer(p, u)) for u in grid], minlength=7)
    expect_close(counts / 2000, p, "2000 evenly spaced u: shares of the tokens", atol=1e-3)


INVERSE = Exercise(
    id="sampling.inverse",
    title="A dart on a line",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _inverse_by_hand),
        Law("a part contains its left end", _inverse_borders),
        Law("a token of probability 0 never comes", _inverse_zero),
        Law("shares are the probabilities", _inverse_frequencies),
    ),
    wrong_answers={
        "always gives the likeliest": lambda p, u: int(np.argmax(p)),
        "gives each token the same length": lambda p, u: int(u * len(p)),
        "counts one too far": lambda p, u: min(_inverse(p, u) + 1, len(p) - 1),
        "closes the parts on the right": lambda p, u: int(np.searchsorted(np.cumsum(p), u, side="left")),
        "sorts and forgets the order": lambda p, u: _inverse(np.sort(p)[::-1], u),
        "compares with the probabilities, not with their sums": lambda p, u: int((p <= u).argmax()),
        "reads the line backwards": lambda p, u: len(p) - 1 - _inverse(p[::-1], u),
    },
)


# --- sampling.gumbel: (logits (..., vocab_size), u of the same shape, uniform) -> tokens (...) ---


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


GUMBEL = Exercise(
    id="sampling.gumbel",
    title="A draw without sums",
    difficulty="medium",
    points=3,
    minutes=15,
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


EXERCISES = (INVERSE, GUMBEL, NUCLEUS, CUTS)
