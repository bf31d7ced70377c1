"""sampling.double_noise: what becomes of two probabilities when Gumbel's noise is doubled."""

import numpy as np

from linebyline.exercises.core import Predict, Rng

PROBABILITIES, FACTOR, DRAWS = np.array([0.9, 0.1]), 2.0, 300_000


def _share(rng: Rng) -> float:
    noise = -np.log(-np.log(rng.random((DRAWS, 2))))
    tokens = (np.log(PROBABILITIES) + FACTOR * noise).argmax(axis=-1)
    return float((tokens == 0).mean())


EXERCISE = Predict(
    id="sampling.double_noise",
    title="Too much noise",
    difficulty="medium",
    points=2,
    minutes=10,
    may_use="pen and paper",
    asks=("share of the first token",),
    compute=_share,
    within=0.02,
    wrong_answers={
        "The strength of the noise matters: with very much of it, the logits would not.": 0.9,
        "More noise makes the choice more random, not less.": 81 / 82,
        "Only noise without end would make both alike.": 0.5,
        "This is halfway between the softmax and an even choice; odds are not linear in the noise.": 0.7,
        "Probabilities are not divided by 2, logits are.": 0.45,
    },
)
