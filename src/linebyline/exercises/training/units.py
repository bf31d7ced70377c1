"""training.units: which optimizer makes the same steps when the loss is counted in other units."""

from collections.abc import Callable

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Pick, Rng

PLAIN, MOMENTUM, PENALTY, ADAM = OPTIONS = (
    "gradient descent",
    "momentum",
    "gradient descent with weight decay",
    "Adam",
)
LR, DECAY, FACTOR, STEPS = 1e-4, 0.1, 1000, 20
Gradient = Callable[[np.ndarray], np.ndarray]


def _end(option: str, gradient: Gradient, start: np.ndarray) -> np.ndarray:
    """Train for some steps by one of the optimizers."""
    theta, m, v = start, np.zeros_like(start), np.zeros_like(start)
    for step in range(1, STEPS + 1):
        g = gradient(theta)
        if option == ADAM:
            theta, m, v = F.adam_step(theta, g, m, v, step, lr=LR, beta_1=0.9, beta_2=0.999, eps=1e-8)
        else:
            pull = LR * DECAY * theta if option == PENALTY else 0.0
            theta, m = F.momentum_step(theta, g, m, lr=LR, beta=0.9 if option == MOMENTUM else 0.0)
            theta = theta - pull
    return theta


def _least_changed(rng: Rng) -> str:
    start, curvature = rng.normal(size=(2, 7))
    changes = {
        option: np.abs(
            _end(option, lambda x: curvature**2 * x, start) - _end(option, lambda x: FACTOR * curvature**2 * x, start)
        ).max()
        for option in OPTIONS
    }
    return min(OPTIONS, key=lambda option: float(changes[option]))


EXERCISE = Pick(
    id="training.units",
    title="A loss in other units",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="pen and paper",
    asks="whose steps stay as they were",
    options=OPTIONS,
    compute=_least_changed,
    wrong_answers={
        "Its step is the rate times the gradient, which is a thousand times as long now.": PLAIN,
        "It adds gradients up, and each of them is a thousand times as long now.": MOMENTUM,
        "The decay stays as it was, but the gradient beside it is a thousand times as long now.": PENALTY,
    },
)
