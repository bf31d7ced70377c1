"""sampling.inverse: (p (vocab_size,), u) -> the token in whose part of [0, 1) the number u lies."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


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


EXERCISE = Write(
    id="sampling.inverse",
    title="A dart on a line",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
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
