"""language_model.first_loss: what a model that knows nothing yet pays for a token."""

import numpy as np

from clearformer.functional import log_softmax
from linebyline.exercises.core import Predict, Rng

V, POSITIONS = 1024, 1000


def _first_loss(rng: Rng) -> tuple[float, float]:
    logits = 0.01 * rng.normal(size=(POSITIONS, V))
    targets = rng.integers(V, size=POSITIONS)
    nats = float(-log_softmax(logits)[np.arange(POSITIONS), targets].mean())
    return nats, nats / float(np.log(2))


EXERCISE = Predict(
    id="language_model.first_loss",
    title="The first loss",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="pen and paper",
    asks=("loss in nats for a token", "the same in bits"),
    compute=_first_loss,
    within=0.02,
    wrong_answers={
        "This is the perplexity: its logarithm is the loss.": (1024.0, 1024.0),
        "The two units are exchanged: a bit is smaller than a nat, so there are more of them.": (10.0, 6.93),
        "This is the probability of a token, and not its surprise.": (1 / 1024, 1 / 1024),
        "A nat is 1.44 bits: divide by ln 2, do not multiply.": (6.93, 4.80),
    },
)
