"""Rows and columns exchanged: a loader sees it by the shape, unless the matrix is square."""

from collections.abc import Sequence

import numpy as np

from .kit import CELL, Canvas, Drawing

WIDE = np.arange(1.0, 7.0).reshape(3, 2)  # (in, out)
SQUARE = np.arange(1.0, 5.0).reshape(2, 2)  # (in, out)
X = np.array([1.0, 0.0])
SIZE = 40  # the width of a cell


def square_matrix() -> Drawing:
    """Draw two matrices as the file has them, the places that they must fill, and what becomes of them."""
    canvas = Canvas(352)
    for x, words in ((70, "in the file"), (250, "in the model")):
        canvas.text(x, 20, words, "bold")
        canvas.note(x, 38, "(out, in)" if x == 70 else "(in, out)", "", "middle")
    for top, matrix in ((52, WIDE), (200, SQUARE)):
        stored = matrix.T
        _matrix(canvas, 70, top, stored.tolist(), "value")
        empty = [["?"] * matrix.shape[1]] * matrix.shape[0] if matrix is WIDE else stored.tolist()
        _matrix(canvas, 250, top, empty, "key" if matrix is WIDE else "query")
        canvas.line((140, top + CELL), (198, top + CELL))
    canvas.text(4, 172, "The shapes differ: the loader refuses.", "key", "start")
    canvas.text(4, 292, "The shapes agree: nothing is noticed.", "query", "start")
    wanted, got = (_row(X @ each) for each in (SQUARE, SQUARE.T))
    canvas.note(4, 318, f"{_row(X)} times this matrix is {got}.", "")
    canvas.note(4, 338, f"Transposed, as it should be, it gives {wanted}.", "")
    return canvas.finish(
        "A matrix that was not transposed",
        f"A file has two matrices as (out, in), and the model needs them as (in, out). The first is 2 by 3 in the file"
        " and 3 by 2 in the model, so the loader refuses it. The second is 2 by 2 in both, so it is loaded as it is,"
        f" and the vector {_row(X)} becomes {got} instead of {wanted}.",
    )


def _matrix(canvas: Canvas, middle: float, top: float, rows: Sequence[Sequence[float | str]], role: str) -> None:
    """Draw a matrix with its shape below, centered at a place."""
    canvas.matrix(middle - len(rows[0]) * SIZE / 2, top, rows, role, cell=SIZE, shape=f"({len(rows)}, {len(rows[0])})")


def _row(vector: np.ndarray) -> str:
    return f"({', '.join(f'{number:g}' for number in vector)})"
