"""attention.lost_bias: which of three biases changes nothing."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Pick, Rng

OPTIONS = ("that of the queries", "that of the keys", "that of the values", "none of them")


def _lost(rng: Rng) -> str:
    """Add a random bias to queries, keys and values in turn, and see whether an output moves."""
    roles = rng.normal(size=(3, 5, 4))  # queries, keys, values: (T, d) each
    before, _ = F.scaled_dot_product_attention(*roles)
    biased = [roles + np.eye(3)[i, :, None, None] * rng.normal(size=4) for i in range(3)]
    lost = [np.allclose(F.scaled_dot_product_attention(*moved)[0], before) for moved in biased]
    return OPTIONS[lost.index(True)] if any(lost) else OPTIONS[-1]


EXERCISE = Pick(
    id="attention.lost_bias",
    title="A bias that does nothing",
    difficulty="medium",
    points=2,
    minutes=10,
    may_use="pen and paper",
    asks="the bias that may be left out",
    options=OPTIONS,
    compute=_lost,
    wrong_answers={
        "Its product with a key is added to that key's score: to some keys more than to others.": OPTIONS[0],
        "The weights do not see the values, but their bias moves every output, as weights sum to one.": OPTIONS[2],
        "Write out the score with each bias: one of the new terms is the same for a whole row.": OPTIONS[3],
    },
)
