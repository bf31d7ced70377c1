"""temperature_and_penalties.penalize: (logits (V,), ids (T,), alpha, beta) -> logits (V,)."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _penalized(logits: np.ndarray, ids: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    counts = np.bincount(ids, minlength=len(logits))  # (V,)
    result: np.ndarray = logits - alpha * counts - beta * (counts > 0)
    return result


def _penalize_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([5.0, 5.0, 5.0, 5.0]), np.array([0, 2, 0, 0]), 0.5, 1.0)
    expect_close(got, [2.5, 5, 3.5, 5], "four logits of 5, tokens 0, 2, 0, 0, alpha=0.5, beta=1")


def _penalize_random(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=11), rng.integers(0, 8, size=30)
    expect_close(answer(logits, ids, 0.3, 0.9), _penalized(logits, ids, 0.3, 0.9), "11 logits, 30 tokens")


def _penalize_once(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=7), rng.permutation(7)[:3]
    what = "each token once: alpha=0.7 and beta=0.7 should do the same"
    frequency, presence = answer(logits, ids, 0.7, 0.0), answer(logits, ids, 0.0, 0.7)
    expect_close(frequency, _penalized(logits, ids, 0.7, 0), f"{what}, alpha alone")
    expect_close(presence, frequency, f"{what}, beta alone")


def _penalize_nothing(answer: Answer, rng: Rng) -> None:
    logits = rng.normal(size=5)
    expect_close(answer(logits, np.array([], dtype=np.int64), 1.0, 1.0), logits, "no token came before")


def _penalize_indexed(logits: Any, ids: Any, alpha: float, beta: float) -> Any:
    result = logits.copy()
    result[ids] -= alpha
    result[np.unique(ids)] -= beta
    return result


def _penalize_in_place(logits: Any, ids: Any, alpha: float, beta: float) -> Any:
    logits -= logits - _penalized(logits, ids, alpha, beta)
    return logits


def _penalize_each(logits: Any, ids: Any, alpha: float, beta: float) -> Any:
    return logits - (alpha + beta) * np.bincount(ids, minlength=len(logits))


def _penalize_all(logits: Any, ids: Any, alpha: float, beta: float) -> Any:
    return logits - alpha * np.bincount(ids, minlength=len(logits)) - beta


EXERCISE = Write(
    id="temperature_and_penalties.penalize",
    title="Two penalties",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _penalize_by_hand),
        Law("equal on random tokens", _penalize_random),
        Law("one occurrence: both penalties alike", _penalize_once),
        Law("nothing came before", _penalize_nothing),
    ),
    wrong_answers={
        "counts repeated tokens once": _penalize_indexed,
        "charges the presence penalty each time": _penalize_each,
        "charges the presence penalty to every token": _penalize_all,
        "adds instead of subtracting": lambda z, ids, alpha, beta: _penalized(z, ids, -alpha, -beta),
        "exchanges alpha and beta": lambda z, ids, alpha, beta: _penalized(z, ids, beta, alpha),
        "charges the last token only": lambda z, ids, alpha, beta: _penalized(z, ids[-1:], alpha, beta),
        "looks at the presence only": lambda z, ids, alpha, beta: _penalized(z, np.unique(ids), alpha, beta),
        "changes the caller's logits": _penalize_in_place,
    },
)
