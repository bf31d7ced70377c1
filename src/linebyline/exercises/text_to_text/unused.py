"""text_to_text.unused: how many buckets of distances an encoder and a decoder ever use."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

T, BUCKETS, REACH = 1000, 32, 128


def _used(rng: Rng) -> tuple[int, int]:
    """Sort all distances of a long text into buckets, and count those that hold any."""
    counts = []
    for bidirectional in (True, False):
        buckets = F.relative_buckets(T, T, n_buckets=BUCKETS, max_distance=REACH, bidirectional=bidirectional)
        seen = buckets if bidirectional else buckets[F.causal_mask(T)]
        counts.append(len(np.unique(seen)))
    return counts[0], counts[1]


EXERCISE = Predict(
    id="text_to_text.unused",
    title="Buckets that nobody uses",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="pen and paper",
    asks=("buckets an encoder uses", "buckets a decoder uses"),
    compute=_used,
    within=0.005,
    wrong_answers={
        "The second is right. But distance 0 is neither ahead nor behind: of which half is its bucket?": (32, 32),
        "The first is right. But a decoder has one direction only, and all buckets are for it.": (31, 16),
        "The first is right. But a decoder sees distance 0, and sorts it like any other.": (31, 31),
        "The far buckets are used as well: the last one of a direction holds all that is beyond.": (30, 31),
        "These are the buckets that hold one distance each; the others hold several.": (16, 16),
    },
)
