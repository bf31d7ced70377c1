"""embeddings.one_place: how alike two tokens are once the same long vector is added to both."""

import numpy as np

from linebyline.exercises.core import Predict, Rng

LENGTH = 4


def _cosine(rng: Rng) -> float:
    orthogonal, _ = np.linalg.qr(rng.normal(size=(7, 3)))  # three columns of length 1
    one, other, place = orthogonal.T
    x, y = one + LENGTH * place, other + LENGTH * place
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


EXERCISE = Predict(
    id="embeddings.one_place",
    title="Two tokens at one place",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="pen and paper",
    asks=("cosine of the two sums",),
    compute=_cosine,
    within=0.01,
    wrong_answers={
        "The two tokens are orthogonal, but both sums hold the same vector.": 0,
        "The vectors that were added are equal, and the tokens in the sums are not.": 1,
        "Dot products go with the squares of lengths.": LENGTH / (LENGTH + 1),
        "This is the cosine of a sum with the vector that was added.": LENGTH / (LENGTH**2 + 1) ** 0.5,
        "The square of each sum's length holds its own token, not the other one too.": LENGTH**2 / (LENGTH**2 + 2),
    },
)
