"""a_real_model.even_head: the induction score of a head that knows nothing, and what half a copy is worth."""

import numpy as np

from linebyline.exercises.core import Predict, Rng

LENGTH, VOCAB_SIZE = 25, 1024


def _score_and_nats(rng: Rng) -> tuple[float, float]:
    """Spread the weights of each row evenly over what it sees, and draw what a copying model would be asked."""
    weights = np.tril(np.ones((2 * LENGTH, 2 * LENGTH)))
    weights /= weights.sum(axis=1, keepdims=True)  # (T, T)
    rows = np.arange(LENGTH, 2 * LENGTH)
    score = weights[rows, rows - LENGTH + 1].mean()
    p = np.full(VOCAB_SIZE, 0.5 / (VOCAB_SIZE - 1))
    right = rng.integers(VOCAB_SIZE)
    p[right] = 0.5
    return float(score), float(np.log(p[right] * VOCAB_SIZE))


EXERCISE = Predict(
    id="a_real_model.even_head",
    title="A head that knows nothing",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("the induction score of the head", "nats saved"),
    compute=_score_and_nats,
    within=0.03,
    wrong_answers={
        "Only the last row sees 50 tokens. The rows of the second copy see 26 to 50, and the score is their mean.": (
            0.02,
            6.24,
        ),
        "A row of the second copy sees the whole first copy and its own part: more than 25 tokens.": (0.04, 6.24),
        "The first is right. What is saved is against a blind guess, whose cost is the logarithm of 1,024.": (
            0.02708,
            0.693,
        ),
        "The first is right. Nats are natural logarithms; these are bits.": (0.02708, 9.0),
    },
)
