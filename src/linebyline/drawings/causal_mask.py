"""What a causal mask does to the scores and the weights: the future is left out, and each row still sums to one."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, SMALL, Canvas, Drawing
from .one_word import KEYS, QUERIES, VALUES, WORDS

WIDE, LEFT, TOP, LOW = 46, (54, 214), 72, 214


def causal_mask() -> Drawing:
    """Draw the scores and the weights of three words: once they see the whole sentence, once only what came before."""
    mask = F.causal_mask(len(WORDS))  # (T, S)
    scores = QUERIES @ KEYS.T / np.sqrt(KEYS.shape[-1])  # (T, S)
    _, free = F.scaled_dot_product_attention(QUERIES, KEYS, VALUES)
    _, causal = F.scaled_dot_product_attention(QUERIES, KEYS, VALUES, mask)
    canvas = Canvas(324)
    for x, title, weights, seen in zip(
        LEFT, ("without a mask", "causal mask"), (free, causal), (mask | True, mask), strict=True
    ):
        middle = x + 1.5 * WIDE
        canvas.text(middle, 18, title, "bold")
        for s, word in enumerate(WORDS):
            canvas.note(x + (s + 0.5) * WIDE, TOP - 8, word, anchor="middle")
        _grid(canvas, x, TOP, scores, seen, "", "−∞")
        canvas.line((middle, TOP + 3 * CELL + 5), (middle, LOW - 6), kind="weight")
        canvas.note(middle + 10, (TOP + 3 * CELL + LOW) / 2 + 4, "softmax", "")
        _grid(canvas, x, LOW, weights, seen, "weight", "0")
    for top in (TOP, LOW):
        for t, word in enumerate(WORDS):
            canvas.note(4, top + t * CELL + 18, word)
    canvas.note(4, TOP - 8, "scores", "")
    canvas.note(4, LOW - 10, "weights", "weight")
    canvas.note(180, LOW + 3 * CELL + 22, "a row for each query, a column for each key", anchor="middle")
    rows = "; ".join(f"{word}: {', '.join(f'{w:.2f}' for w in row)}" for word, row in zip(WORDS, causal, strict=True))
    return canvas.finish(
        "A causal mask",
        "Grids with a row for each query and a column for each key, Dan’s, ice and cream: scores above, weights below."
        " Without a mask every word sees all three. With the causal mask the scores above the diagonal are minus"
        f" infinity, so the weights there are 0, and the rows are {rows}. Each row sums to one.",
    )


def _grid(canvas: Canvas, x: float, y: float, rows: np.ndarray, seen: np.ndarray, role: str, hidden: str) -> None:
    """Draw a matrix whose hidden cells are dashed and have another number."""
    for (t, s), value in np.ndenumerate(rows):
        left, top = x + s * WIDE, y + t * CELL
        if seen[t, s]:
            canvas.matrix(left, top, [[float(value)]], role, top=3 - 2 * bool(role), cell=WIDE)
        else:
            canvas.add("rect", x=left, y=top, width=WIDE, height=CELL, class_="off")
            canvas.text(left + WIDE / 2, top + 18, hidden, "quiet", size=SMALL)
