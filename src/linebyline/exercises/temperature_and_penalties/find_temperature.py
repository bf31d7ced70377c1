"""The exercise that searches the temperature at which a softmax has a given entropy."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def entropy(logits: np.ndarray, tau: float) -> float:
    """Entropy of softmax(logits / tau) over the last axis, in nats."""
    log_p = F.log_softmax(logits / tau)
    return float(-(np.exp(log_p) * log_p).sum())


def _expect_entropy(answer: Answer, logits: np.ndarray, target: float, what: str) -> None:
    tau = answer(logits, target)
    expect_close(tau > 0, True, f"{what}, tau above 0")
    expect_close(entropy(logits, float(tau)), target, f"{what}, entropy at the tau found", rtol=1e-6, atol=1e-7)


def _find_by_hand(answer: Answer, rng: Rng) -> None:
    # Probabilities 3/4 and 1/4 are a difference of ln 3.
    target = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    expect_close(answer(np.array([0.0, np.log(9.0)]), target), 2.0, "logits 0 and 2 ln 3, p = 1/4, 3/4", rtol=1e-5)


def _find_random(answer: Answer, rng: Rng) -> None:
    for _ in range(5):
        logits = 3 * rng.normal(size=11)
        _expect_entropy(answer, logits, rng.uniform(0.3, 2.2), "11 logits")


def _find_extremes(answer: Answer, rng: Rng) -> None:
    logits = np.array([3.0, 1.0, 0.0, -1.0])
    _expect_entropy(answer, logits, 1e-3, "logits 3, 1, 0, -1, target 0.001")
    _expect_entropy(answer, logits, np.log(4) - 1e-4, "logits 3, 1, 0, -1, target ln 4 - 0.0001")


def _find_large(answer: Answer, rng: Rng) -> None:
    logits = 1000 * rng.normal(size=5)
    _expect_entropy(answer, logits, 1.0, "5 logits of about 1000")


def _bisect(low: float, high: float, value: Any = entropy, steps: int = 200) -> Answer:
    def find(logits: Any, target: float) -> float:
        a, b = low, high
        for _ in range(steps):
            middle = (a * b) ** 0.5
            a, b = (middle, b) if value(logits, middle) < target else (a, middle)
        return float((a * b) ** 0.5)

    return find


def _backwards(logits: Any, target: float) -> float:
    a, b = 1e-6, 1e9
    for _ in range(200):
        middle = (a * b) ** 0.5
        a, b = (middle, b) if entropy(logits, middle) > target else (a, middle)
    return float((a * b) ** 0.5)


EXERCISE = Write(
    id="temperature_and_penalties.find_temperature",
    title="A temperature for an entropy",
    difficulty="hard",
    points=4,
    minutes=25,
    may_use="NumPy and the chapter's `entropy`",
    laws=(
        Law("a case worked by hand", _find_by_hand),
        Law("random logits and targets", _find_random),
        Law("almost certain and almost even", _find_extremes),
        Law("large logits", _find_large),
    ),
    wrong_answers={
        "searches between 0.1 and 10 only": _bisect(0.1, 10.0),
        "stops after ten halvings": _bisect(1e-6, 1e9, steps=10),
        "measures the entropy in bits": _bisect(1e-6, 1e9, lambda z, tau: entropy(z, tau) / np.log(2)),
        "bisects the wrong way": _backwards,
        "scales in proportion": lambda z, target: target / entropy(z, 1.0),
        "returns 1 / tau": lambda z, target: 1 / _bisect(1e-6, 1e9)(z, target),
    },
)
