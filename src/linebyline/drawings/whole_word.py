"""What is divided among heads: the columns of the query matrix, and not the features of a word."""

import numpy as np

from .kit import CELL, Canvas, Drawing, number

WORD = np.array([3.0, 1, 2, 1])  # (d_model,): cream, whose queries the drawing of a whole layer has, too
W_Q = np.array([[3.0, 0, 0, 1], [-1, 1, 1, 0], [1, -1, 1, 0], [2, 1, -2, -1]])  # (d_model, n_heads * d_k)
HEADS = ("head 0", "head 1")
WIDE, LEFT, RIGHT, TOP, LOW = 34, 20, 196, 46, 182


def whole_word() -> Drawing:
    """Draw the queries of two heads as products with the whole word, and the wrong idea beside a cross."""
    canvas, queries, said = Canvas(314), WORD @ W_Q, []
    canvas.note(LEFT + 2 * WIDE, LOW - 10, "cream, whole", anchor="middle")
    canvas.matrix(LEFT, LOW, [WORD.tolist()], "", top=6, cell=WIDE)
    canvas.line((LEFT + 4 * WIDE + 4, LOW + CELL / 2), (RIGHT - 5, LOW + CELL / 2))
    canvas.text(RIGHT - 12, TOP + 2 * CELL + 5, "W_Q", "bold", "end")
    for i, name in enumerate(HEADS):
        own, x = slice(2 * i, 2 * i + 2), RIGHT + i * (2 * WIDE + 10)
        canvas.text(x + WIDE, TOP - 12, name, "bold")
        canvas.matrix(x, TOP, W_Q[:, own].tolist(), "query", top=4, cell=WIDE)
        canvas.line((x + WIDE, TOP + 4 * CELL + 4), (x + WIDE, LOW - 5))
        canvas.matrix(x, LOW, [queries[own].tolist()], "query", top=12, cell=WIDE)
        canvas.note(x + WIDE, LOW + CELL + 18, "its query", anchor="middle")
        said.append(f"{name} multiplies the whole word by its own two columns of W_Q, and gets {_listed(queries[own])}")
    y = 266
    canvas.text(RIGHT - 38, y + 18, "not like this:", "bold", "end")
    for side in (-8, 8):
        canvas.line((RIGHT - 30, y + 13 - side), (RIGHT - 14, y + 13 + side), arrow=False, width=3)
    for i, name in enumerate(HEADS):
        x = RIGHT + i * (2 * WIDE + 10)
        canvas.matrix(x, y, [WORD[2 * i : 2 * i + 2].tolist()], "", top=6, cell=WIDE)
        canvas.note(x + WIDE, y + CELL + 16, name, anchor="middle")
    return canvas.finish(
        "Every head reads the whole word",
        f"The word cream has the features {_listed(WORD)}. {'. '.join(said)}. To cut the word itself into two"
        " pieces, one for each head, is marked as wrong.",
    )


def _listed(row: np.ndarray) -> str:
    """Return the numbers of a row in brackets."""
    return f"({', '.join(map(number, row))})"
