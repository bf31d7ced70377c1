"""training.diverging_rate: from which rate on gradient descent diverges on a bowl that stands askew."""

import numpy as np

from linebyline.exercises.core import Predict, Rng

CURVATURES = np.array([0.1, 10.0])
AXES = np.array([[1, -1], [1, 1]]) / np.sqrt(2)  # turned by 45 degrees


def _diverging_rate(rng: Rng) -> float:
    hessian = AXES.T @ (CURVATURES[:, None] * AXES)  # (2, 2)
    start = rng.normal(size=2)
    low, high = 0.0, 100.0
    for _ in range(30):
        rate, theta = (low + high) / 2, start
        for _ in range(2000):
            theta = theta - rate * (hessian @ theta)
            if np.abs(theta).max() > 1e6:
                break
        low, high = (rate, high) if np.abs(theta).max() < 1e6 else (low, rate)
    return low


EXERCISE = Predict(
    id="training.diverging_rate",
    title="A bowl askew",
    difficulty="medium",
    points=2,
    minutes=5,
    may_use="pen and paper, and the figure of the paths",
    asks=("rate from which descent diverges",),
    compute=_diverging_rate,
    within=0.03,
    wrong_answers={
        "This is the limit if one parameter moves alone. But both move, and there is a steeper way down.": 2 / 5.05,
        "With this rate the steep direction is done in one step. It may overshoot, as long as it comes nearer.": 0.1,
        "The flat direction would bear this rate. Which direction fails first?": 20.0,
    },
)
