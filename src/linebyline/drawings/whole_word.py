"""What is divided among heads: the columns of the query matrix, and not the features of a word."""

import numpy as np

from .kit import CELL, Canvas, Drawing, number

WORD = np.array([3.0, 1, 2, 1])  # (d_model,): cream, whose queries the drawing of a whole layer has, too
W_Q = np.array([[3.0, 0, 0, 1], [-1, 1, 1, 0], [1, -1, 1, 0], [2, 1, -2, -1]])  # (d_model, n_heads * d_k)
HEADS, MIDDLES = ("head 0", "head 1"), (150, 282)  # the heads, and the middle of each
WIDE, CENTER, FIRST, TOP, LOW, WRONG = 34, sum(MIDDLES) / 2, 24, 88, 224, 312  # a cell; the heights of the rows


def whole_word() -> Drawing:
    """Draw the queries of two heads as products with the whole word, and the wrong idea beside a cross."""
    canvas, queries, said = Canvas(WRONG + 48), WORD @ W_Q, []
    canvas.text(CENTER - 2 * WIDE - 10, FIRST + 18, "cream, whole", "bold", "end")
    canvas.matrix(CENTER - 2 * WIDE, FIRST, [WORD.tolist()], "", top=6, cell=WIDE)
    canvas.text(MIDDLES[0] - WIDE - 10, TOP + 2 * CELL + 5, "times W_Q", "bold", "end")
    canvas.text(MIDDLES[0] - WIDE - 10, LOW + 18, "queries", "bold", "end")
    for i, (name, x) in enumerate(zip(HEADS, MIDDLES, strict=True)):
        own, left = slice(2 * i, 2 * i + 2), x - WIDE
        canvas.line((CENTER + (x - CENTER) / 2, FIRST + CELL), (x, TOP - 3))
        canvas.matrix(left, TOP, W_Q[:, own].tolist(), "query", top=4, cell=WIDE)
        canvas.line((x, TOP + 4 * CELL), (x, LOW - 3), kind="query")
        canvas.matrix(left, LOW, [queries[own].tolist()], "query", top=12, cell=WIDE)
        canvas.note(x, LOW + CELL + 18, name, anchor="middle")
        said.append(f"{name} multiplies the whole word by its own two columns of W_Q, and gets {_listed(queries[own])}")
    canvas.text(MIDDLES[0] - WIDE - 32, WRONG + 18, "not this:", "bold", "end")
    for side in (-8, 8):
        x = MIDDLES[0] - WIDE - 17
        canvas.line((x - 8, WRONG + 13 - side), (x + 8, WRONG + 13 + side), arrow=False, width=3)
    for i, (name, x) in enumerate(zip(HEADS, MIDDLES, strict=True)):
        canvas.matrix(x - WIDE, WRONG, [WORD[2 * i : 2 * i + 2].tolist()], "", top=6, cell=WIDE)
        canvas.note(x, WRONG + CELL + 16, name, anchor="middle")
    return canvas.finish(
        "Every head reads the whole word",
        f"The word cream has the features {_listed(WORD)}. {'. '.join(said)}. To cut the word itself into two"
        " pieces, one for each head, is marked as wrong.",
    )


def _listed(row: np.ndarray) -> str:
    """Return the numbers of a row in brackets."""
    return f"({', '.join(map(number, row))})"
