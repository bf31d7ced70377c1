"""The one difference of a decoder and an encoder: a triangle of weights, and a full square."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing

WORDS = ("the", "?", "of")
OUTLINED = WORDS.index("?")
WIDE, LEFT, TOP = 44, (46, 204), 58  # of a cell, and the upper left corners of the grids


def weights() -> dict[str, np.ndarray]:
    """Return the weights of both kinds, (T, S) each, for words whose vectors have a single 1.

    Example:
        >>> [rows[OUTLINED].round(2).tolist() for rows in weights().values()]
        [[0.27, 0.73, 0.0], [0.21, 0.58, 0.21]]
    """
    x = np.eye(len(WORDS))  # (T, d): queries and keys
    causal = F.causal_mask(len(WORDS))  # (T, S)
    return {
        name: F.softmax(np.where(seen, x @ x.T, -np.inf))
        for name, seen in (("decoder", causal), ("encoder", causal | True))
    }


def full_square() -> Drawing:
    """Draw the weights of a decoder and of an encoder for the same three tokens."""
    canvas, said = Canvas(TOP + len(WORDS) * CELL + 48), []
    for (name, rows), x in zip(weights().items(), LEFT, strict=True):
        canvas.text(x + len(WORDS) * WIDE / 2, 18, name, "bold")
        for s, word in enumerate(WORDS):
            canvas.note(x + (s + 0.5) * WIDE, TOP - 8, word, "key", "middle")
        for (t, s), weight in np.ndenumerate(rows):
            left, top = x + s * WIDE, TOP + t * CELL
            if weight:
                canvas.matrix(left, top, [[float(weight)]], "weight", top=1, cell=WIDE)
            else:
                canvas.add("rect", x=left, y=top, width=WIDE, height=CELL, class_="off")
                canvas.text(left + WIDE / 2, top + 18, "×", "quiet")
        row = TOP + OUTLINED * CELL
        canvas.add(
            "rect", x=x, y=row, width=len(WORDS) * WIDE, height=CELL, fill="none", stroke="currentColor", stroke_width=3
        )
        row_said = ", ".join(f"{weight:.2f}" if weight else "none" for weight in rows[OUTLINED])
        said.append(f"in the {name}, the weights of the gap on {', '.join(WORDS)} are {row_said}")
    for t, word in enumerate(WORDS):
        canvas.note(LEFT[0] - 7, TOP + t * CELL + 18, word, "query", "end")
    canvas.note(180, TOP + len(WORDS) * CELL + 22, "a row for each token that looks", "query", "middle")
    canvas.note(180, TOP + len(WORDS) * CELL + 40, "a column for each token that is looked at", "key", "middle")
    return canvas.finish(
        "A triangle and a square",
        "Two grids of attention weights, with a row and a column for each of the, a question mark and of. That"
        " of the decoder is a triangle, because no token looks to the right; that of the encoder is a full square:"
        f" {'; '.join(said)}.",
    )
