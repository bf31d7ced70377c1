"""multi_head_attention.silenced: what of an output changes when one head is silenced."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

D_MODEL, HEADS, T = 512, 8, 1000


def _changes(rng: Rng) -> tuple[int, int]:
    x = rng.normal(size=(T, D_MODEL))
    w_q, w_k, w_v, w_o = rng.normal(size=(4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    silenced = w_o.copy()
    silenced[: D_MODEL // HEADS] = 0.0  # the rows of head 0

    def output(w: np.ndarray) -> np.ndarray:
        return F.multi_head_attention(x, x, w_q, w_k, w_v, w, n_heads=HEADS)[0]

    change = output(w_o) - output(silenced)  # (T, D_MODEL)
    return int((np.abs(change[0]) > 1e-12).sum()), int(np.linalg.matrix_rank(change, rtol=1e-9))


EXERCISE = Predict(
    id="multi_head_attention.silenced",
    title="One head falls silent",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks=("features that change", "dimensions of the changes"),
    compute=_changes,
    within=0.01,
    wrong_answers={
        "A head owns rows of W_O, not columns: where does one row of a matrix write to?": (64, 64),
        "Every feature changes, but not each in its own way: a head has few numbers to say so with.": (512, 512),
        "The two are the other way round: what a head finds is narrow, and W_O spreads it.": (64, 512),
        "This would be what the other heads keep, if each wrote to features of its own. All write to the same ones.": (
            448,
            448,
        ),
        "A head adds more than one number to a token: it has as many as its rows.": (512, 1),
    },
)
