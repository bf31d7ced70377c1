"""The exercises on temperature and penalties: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close
from clearformer.exercises.entropy import FIND_TEMPERATURE

Rng = np.random.Generator


# --- temperature_and_penalties.boltzmann: (energies (..., V), tau) -> probabilities (..., V) ---


def _boltzmann_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([0.0, 2 * np.log(3.0)]), 2.0)
    expect_close(got, [0.75, 0.25], "energies 0 and 2 ln 3, tau=2")


def _boltzmann_ratios(answer: Answer, rng: Rng) -> None:
    energies, tau = rng.normal(size=7), 0.7
    expected = F.softmax(-energies / tau)
    expect_close(answer(energies, tau), expected, "7 energies, tau=0.7")


def _boltzmann_axes(answer: Answer, rng: Rng) -> None:
    energies = rng.normal(size=(2, 3, 5))
    expect_close(answer(energies, 1.5), F.softmax(-energies / 1.5), "energies of shape (2, 3, 5)")


def _boltzmann_cold(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([-20.0, 0.0, 20.0]), 0.01)
    expect_close(got, [1, 0, 0], "energies -20, 0, 20, tau=0.01")


BOLTZMANN = Exercise(
    id="temperature_and_penalties.boltzmann",
    title="Probabilities from energies",
    difficulty="easy",
    points=1,
    minutes=5,
    laws=(
        Law("a case worked by hand", _boltzmann_by_hand),
        Law("equal to the softmax of the negative energies over tau", _boltzmann_ratios),
        Law("any leading axes", _boltzmann_axes),
        Law("a low temperature does not overflow", _boltzmann_cold),
    ),
    wrong_answers={
        "takes the energies for logits": lambda e, tau: F.softmax(e / tau),
        "multiplies by the temperature": lambda e, tau: F.softmax(-e * tau),
        "leaves the temperature out": lambda e, tau: F.softmax(-e),
        "overflows": lambda e, tau: np.exp(-e / tau) / np.exp(-e / tau).sum(axis=-1, keepdims=True),
        "sums over all axes": lambda e, tau: np.exp((e.min() - e) / tau) / np.exp((e.min() - e) / tau).sum(),
        "divides the probabilities": lambda e, tau: F.softmax(-e) / tau,
    },
)


# --- temperature_and_penalties.penalize: (logits (V,), ids (T,), alpha, beta) -> logits (V,) ---


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


PENALIZE = Exercise(
    id="temperature_and_penalties.penalize",
    title="Two penalties",
    difficulty="easy",
    points=2,
    minutes=10,
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


# --- temperature_and_penalties.shift_free: (logits (V,), ids (T,), rho) -> logits (V,) ---


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


SHIFT_FREE = Exercise(
    id="temperature_and_penalties.shift_free",
    title="A repetition penalty without a zero",
    difficulty="medium",
    points=3,
    minutes=15,
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

EXERCISES = (BOLTZMANN, PENALIZE, SHIFT_FREE, FIND_TEMPERATURE)
