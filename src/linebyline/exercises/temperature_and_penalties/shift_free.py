"""temperature_and_penalties.shift_free: (logits (V,), ids (T,), rho) -> logits (V,)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _rho(logits: Any, ids: Any, rho: float) -> np.ndarray:
    """The usual repetition penalty, which depends on where the logits have their zero."""
    result = np.array(logits, dtype=float)
    seen = np.unique(ids).astype(int)
    result[seen] = np.where(result[seen] < 0, result[seen] * rho, result[seen] / rho)
    return result


def _expect_powers(answer: Answer, logits: np.ndarray, ids: np.ndarray, rho: float, what: str) -> None:
    p = F.softmax(logits)
    p[np.unique(ids)] **= rho
    expect_close(F.softmax(answer(logits, ids, rho)), p / p.sum(), f"{what}, probabilities")


def _free_by_hand(answer: Answer, rng: Rng) -> None:
    p = np.array([0.5, 0.25, 0.25])
    got = F.softmax(answer(np.log(p), np.array([0]), 2.0))
    expect_close(got, np.full(3, 1 / 3), "p = 1/2, 1/4, 1/4, token 0 came, rho=2, probabilities")


def _free_random(answer: Answer, rng: Rng) -> None:
    _expect_powers(answer, rng.normal(size=7), rng.integers(0, 7, size=4), 1.3, "7 logits, rho=1.3")


def _free_shift(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=5), np.array([1, 4, 1])
    for shift in (5.0, -5.0):
        _expect_powers(answer, logits + shift, ids, 1.3, f"5 logits {shift:+.0f}")


def _free_top(answer: Answer, rng: Rng) -> None:
    logits = np.array([3.0, 2.0, 0.0])
    before, after = F.softmax(logits)[0], F.softmax(answer(logits, np.array([0]), 1.5))[0]
    if not after < before - 1e-3:
        raise AssertionError(f"the likeliest token came before: expected less than {before:.4f}, got {after:.4f}")


def _free_from(anchor: Any) -> Answer:
    return lambda z, ids, rho: _rho(z - anchor(z), ids, rho)


def _free_all(z: Any, ids: Any, rho: float) -> Any:
    return rho * (z - np.log(np.exp(z).sum()))


EXERCISE = Write(
    id="temperature_and_penalties.shift_free",
    title="A repetition penalty without a zero",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy and `F.log_softmax`",
    laws=(
        Law("a case worked by hand", _free_by_hand),
        Law("probabilities of tokens that came are raised to the power rho", _free_random),
        Law("a constant added to the logits changes nothing", _free_shift),
        Law("the likeliest token, too, pays", _free_top),
    ),
    wrong_answers={
        "uses the logits as they are": _rho,
        "measures from the largest logit": _free_from(np.max),
        "measures from the mean": _free_from(np.mean),
        "divides log-probabilities by rho": lambda z, ids, rho: _rho(z - np.log(np.exp(z).sum()), ids, 1 / rho),
        "punishes every token": _free_all,
        "multiplies probabilities by rho": lambda z, ids, rho: np.log(_rho(F.softmax(z), ids, 1 / rho)),
    },
)
