"""normalization.small_row: what layer norm makes of a row that hardly varies."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

ROW, EPS = np.array([0.001, -0.001]), 1e-5


def _normed(rng: Rng) -> float:
    shifted = ROW + rng.normal()  # the norm does not see a shift
    return float(F.layer_norm(shifted, np.ones(2), np.zeros(2), EPS)[0])


EXERCISE = Predict(
    id="normalization.small_row",
    title="A row that hardly varies",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="a pocket calculator",
    asks=("first number",),
    compute=_normed,
    within=0.02,
    wrong_answers={
        "Epsilon stands under the root, and is ten times the variance here.": 1,
        "The number is divided by a root, not by variance plus epsilon.": 0.001 / (1e-6 + EPS),
        "The variance is a tenth of epsilon: little, but it counts.": 0.001 / np.sqrt(EPS),
        "This divides the squares by one feature less than there are.": 0.001 / np.sqrt(2e-6 + EPS),
    },
)
