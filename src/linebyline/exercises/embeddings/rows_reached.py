"""embeddings.rows_reached: how many rows of a tied table a batch reaches, on the way in and on the way out."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

VOCAB_SIZE, TOKENS, BATCHES = 1000, 8 * 128, 200


def _rows(rng: Rng) -> tuple[float, float]:
    batches = rng.integers(VOCAB_SIZE, size=(BATCHES, TOKENS))
    ones = np.ones((TOKENS, 1))
    by_look_up = [F.embed_backward(ones, ids, VOCAB_SIZE).any(axis=-1).sum() for ids in batches]
    h, table = rng.normal(size=(TOKENS, 3)), rng.normal(size=(VOCAB_SIZE, 3))
    d_logits = F.softmax(h @ table.T) - F.one_hot(batches[0], VOCAB_SIZE)  # (T, V)
    by_output = (d_logits.T @ h).any(axis=-1).sum()
    return float(np.mean(by_look_up)), float(by_output)


_REACHED = VOCAB_SIZE * (1 - (1 - 1 / VOCAB_SIZE) ** TOKENS)

EXERCISE = Predict(
    id="embeddings.rows_reached",
    title="Rows that a batch reaches",
    difficulty="medium",
    points=2,
    minutes=10,
    may_use="a pocket calculator",
    asks=("rows reached through the look-up, on average", "rows reached through the output"),
    compute=_rows,
    within=0.02,
    wrong_answers={
        "The table has fewer rows than that: a token that is drawn twice reaches one row.": (TOKENS, VOCAB_SIZE),
        "Some tokens are drawn several times, and then others are not drawn at all.": (VOCAB_SIZE, VOCAB_SIZE),
        "That many are left out: ask how probable it is that a token is never drawn.": (
            VOCAB_SIZE - _REACHED,
            VOCAB_SIZE,
        ),
        "Through the look-up that is right. What stands in the sum of the softmax?": (_REACHED, _REACHED),
        "Every second row would be luck: a token is missed by each draw with probability 999/1000.": (
            VOCAB_SIZE / 2,
            VOCAB_SIZE,
        ),
    },
)
