"""attention.doubled: what becomes of three weights when their scores are doubled."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

WEIGHTS = np.array([0.6, 0.3, 0.1])


def _doubled(rng: Rng) -> np.ndarray:
    scores = np.log(WEIGHTS) + rng.normal()  # any constant will do
    return F.softmax(2 * scores)


EXERCISE = Predict(
    id="attention.doubled",
    title="Twice the scores",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="a pocket calculator",
    asks=("weight that was 0.6", "weight that was 0.3", "weight that was 0.1"),
    compute=_doubled,
    within=0.1,
    wrong_answers={
        "The ratios are right; now the three must sum to one.": WEIGHTS**2,
        "Scores are doubled, not weights: weights still sum to one.": 2 * WEIGHTS,
        "Nothing would change if a constant were added to the scores. A factor changes their differences.": WEIGHTS,
        "This takes the weights for the scores.": F.softmax(2 * WEIGHTS),
        "This takes the square root of each ratio, as halved scores would.": WEIGHTS**0.5 / (WEIGHTS**0.5).sum(),
    },
)
