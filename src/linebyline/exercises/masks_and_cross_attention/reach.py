"""masks_and_cross_attention.reach: from how far back a window lets tokens through several layers."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Predict, Rng

WIDTH, LAYERS, T, D = 4, 5, 24, 8


def _reach(rng: Rng) -> int:
    """Count the tokens whose replacement moves the last output of a stack under a window."""
    behind = np.subtract.outer(np.arange(T), np.arange(T))
    window = (behind >= 0) & (behind < WIDTH)  # (T, T)
    matrices = rng.normal(size=(LAYERS, 3, D, D)) / np.sqrt(D)

    def last(x: np.ndarray) -> np.ndarray:
        for w_q, w_k, w_v in matrices:
            x = x + F.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, window)[0]
        row: np.ndarray = x[-1]  # (D,)
        return row

    x, others = rng.normal(size=(2, T, D))
    replaced = (np.where(np.arange(T)[:, None] == s, others, x) for s in range(T))
    return sum(np.abs(last(other) - last(x)).max() > 1e-12 for other in replaced)


EXERCISE = Predict(
    id="masks_and_cross_attention.reach",
    title="How far back?",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks=("number of tokens",),
    compute=_reach,
    within=0.01,
    wrong_answers={
        "This is what one layer sees. What the second layer reads was itself read from further back.": WIDTH,
        "Every window begins with the query itself, so a further layer adds less than its width.": WIDTH * LAYERS,
        "The last token counts, too: it sees itself.": (WIDTH - 1) * LAYERS,
        "A further layer moves the far end back by a fixed number of tokens: reach adds up, it does not multiply.": (
            WIDTH**LAYERS
        ),
        "Without a window this would be all tokens. Follow the far end, layer by layer.": T,
    },
)
