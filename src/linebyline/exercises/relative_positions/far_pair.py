"""relative_positions.far_pair: the product of a query and a key that stand far out, and near each other."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

QUERY_AT, KEY_AT = 1005, 1000
APART = QUERY_AT - KEY_AT


def _product(rng: Rng) -> float:
    query, key = F.rotary_encoding(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([QUERY_AT, KEY_AT]))
    return float(query @ key)


EXERCISE = Predict(
    id="relative_positions.far_pair",
    title="Far out, and near each other",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="a pocket calculator",
    asks=("product after the rotation",),
    compute=_product,
    within=0.02,  # the cosine of 1005 is near 1, and each has a remark of its own
    wrong_answers={
        "The two are equal before the rotation, but each is turned by an angle of its own.": 1.0,
        "Here only the query was turned; the key turns as well.": float(np.cos(QUERY_AT)),
        "Look at the sign: 5 radians are more than three quarters of a full turn.": -float(np.cos(APART)),
        "A product was asked for, not a score: nothing is divided by √d_k.": float(np.cos(APART) / np.sqrt(2)),
    },
)
