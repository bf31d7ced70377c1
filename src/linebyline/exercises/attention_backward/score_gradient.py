"""attention_backward.score_gradient: the gradient of three scores from that of their weights."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

WEIGHTS, D_WEIGHTS = np.array([0.7, 0.2, 0.1]), np.array([1.0, 1.0, 4.0])
STEP = 1e-5


def _slopes(rng: Rng) -> np.ndarray:
    """Move each score and watch the loss."""
    scores = np.log(WEIGHTS) + rng.normal()  # any constant will do
    moves = STEP * np.eye(3)
    ahead, behind = F.softmax(scores + moves), F.softmax(scores - moves)  # (score moved, weight) each
    slopes: np.ndarray = (ahead - behind) @ D_WEIGHTS / (2 * STEP)
    return slopes


EXERCISE = Predict(
    id="attention_backward.score_gradient",
    title="Which scores rise?",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a pocket calculator",
    asks=("score of weight 0.7", "score of weight 0.2", "score of weight 0.1"),
    compute=_slopes,
    within=0.05,
    wrong_answers={
        "These do not sum to zero: the row term is missing.": WEIGHTS * D_WEIGHTS,
        "The row term is an average by the weights, not the plain mean.": WEIGHTS * (D_WEIGHTS - D_WEIGHTS.mean()),
        "The row term is right; now each score moves in proportion to its weight.": D_WEIGHTS - WEIGHTS @ D_WEIGHTS,
        "This is the way downhill: the gradient points to where the loss grows.": WEIGHTS
        * (WEIGHTS @ D_WEIGHTS - D_WEIGHTS),
        "This is the diagonal of the Jacobian alone: a score moves the other weights as well.": WEIGHTS
        * (1 - WEIGHTS)
        * D_WEIGHTS,
    },
)
