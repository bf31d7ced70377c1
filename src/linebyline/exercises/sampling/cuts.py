"""The exercise on all steps before a draw: temperature, top-k, top-p and min-p, in this order."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _top_k(z: Any, k: int) -> Any:
    return np.where(z < np.sort(z)[-k], -np.inf, z)


def _top_p(z: Any, p: float) -> Any:
    order = np.argsort(-z, kind="stable")
    before = np.insert(np.cumsum(F.softmax(z)[order])[:-1], 0, 0.0)
    out = z.copy()
    out[order[before >= p]] = -np.inf
    return out


def _min_p(z: Any, ratio: float) -> Any:
    q = F.softmax(z)
    return np.where(q < ratio * q.max(), -np.inf, z)


def _steps(order: Sequence[str], finish: Any = F.softmax) -> Answer:
    def cuts(logits: Any, tau: float, k: int, threshold: float, ratio: float) -> Any:
        z = logits.astype(float)
        for step in order:
            z = {
                "tau": lambda z: z / tau,
                "k": lambda z: _top_k(z, k),
                "p": lambda z: _top_p(z, threshold),
                "min_p": lambda z: _min_p(z, ratio),
            }[step](z)
        return finish(z)

    return cuts


_right = _steps(("tau", "k", "p", "min_p"))


_HAND = np.log([0.5, 0.25, 0.15, 0.07, 0.03])


def _by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(_HAND, 1.0, 3, 1.0, 1e-9), [5 / 9, 2.5 / 9, 1.5 / 9, 0, 0], ".5 .25 .15 .07 .03, k=3 only")
    expect_close(answer(_HAND, 1.0, 5, 0.7, 1e-9), [2 / 3, 1 / 3, 0, 0, 0], "threshold=.7 only")
    expect_close(answer(_HAND, 1.0, 5, 1.0, 0.4), [2 / 3, 1 / 3, 0, 0, 0], "ratio=.4 only")


def _neutral(answer: Answer, rng: Rng) -> None:
    z = rng.normal(size=7)
    expect_close(answer(z, 1.0, 7, 1.0, 1e-9), F.softmax(z), "nothing cut: the softmax")
    expect_close(answer(z, 0.5, 7, 1.0, 1e-9), F.softmax(2 * z), "temperature .5 only")


def _order(answer: Answer, rng: Rng) -> None:
    expect_close(
        answer(_HAND, 2.0, 5, 0.8, 1e-9), _right(_HAND, 2.0, 5, 0.8, 1e-9), "tau=2, then threshold=.8, keeps 4"
    )
    expect_close(answer(_HAND, 1.0, 2, 0.6, 1e-9), [1, 0, 0, 0, 0], "k=2, then threshold=.6, keeps 1")


def _min_last(answer: Answer, rng: Rng) -> None:
    z = np.log([0.4, 0.25, 0.2, 0.15])
    expect_close(answer(z, 0.5, 4, 1.0, 0.3), _right(z, 0.5, 4, 1.0, 0.3), "tau=.5, then ratio=.3, keeps 2")
    expect_close(answer(z, 1.0, 4, 0.7, 0.6), _right(z, 1.0, 4, 0.7, 0.6), "threshold=.7, then ratio=.6, keeps 2")


def _any(answer: Answer, rng: Rng) -> None:
    for _ in range(10):
        z = 2 * rng.normal(size=13)
        setting = float(rng.uniform(0.3, 2)), int(rng.integers(1, 14)), float(rng.uniform(0.1, 1)), 0.05
        expect_close(answer(z, *setting), _right(z, *setting), "13 random logits and a random setting")


def _in_place(logits: Any, tau: float, k: int, threshold: float, ratio: float) -> Any:
    logits /= tau
    return _right(logits, 1.0, k, threshold, ratio)


EXERCISE = Write(
    id="sampling.cuts",
    title="All steps before a draw",
    difficulty="hard",
    points=6,
    minutes=40,
    may_use="NumPy and the chapter's functions",
    laws=(
        Law("each cut alone, worked by hand", _by_hand),
        Law("neutral settings change nothing", _neutral),
        Law("temperature first, then k, then p", _order),
        Law("min-p last", _min_last),
        Law("equal to the steps one after the other", _any),
    ),
    wrong_answers={
        "takes the temperature last": _steps(("k", "p", "min_p", "tau")),
        "cuts by p before k": _steps(("tau", "p", "k", "min_p")),
        "multiplies by the temperature": lambda z, tau, k, p, m: _right(z, 1 / tau, k, p, m),
        "forgets to renormalize": lambda z, tau, k, p, m: np.where(_right(z, tau, k, p, m) > 0, F.softmax(z / tau), 0),
        "leaves min-p out": _steps(("tau", "k", "p")),
        "compares min-p with 1, not with the best": lambda z, tau, k, p, m: F.softmax(
            np.where(F.softmax(_top_p(_top_k(z / tau, k), p)) < m, -np.inf, _top_p(_top_k(z / tau, k), p))
        ),
        "gives logits": _steps(("tau", "k", "p", "min_p"), finish=lambda z: z),
        "scales the caller's logits": _in_place,
    },
)
