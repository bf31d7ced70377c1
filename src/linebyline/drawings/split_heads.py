"""Values split into two heads, mixed in each head by its own weights, and concatenated again."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

WORDS = ("ice", "cream")
V = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [3.0, 0.0, 1.0, 2.0, 1.0, 4.0, 3.0, 0.0]])  # (T, d_model)
WEIGHTS = np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]])  # (n_heads, T, T)
WIDE = 32
WHOLE, PIECES = 204, (114, 294)  # the middle of the whole, and of the two heads


def split_heads() -> Drawing:
    """Draw eight numbers for each of two words on their way through two heads of four and back."""
    pieces = F.split_heads(V, 2)  # (n_heads, T, d_v)
    outputs = WEIGHTS @ pieces  # (n_heads, T, d_v)
    merged = F.merge_heads(outputs)  # (T, d_model)
    canvas = Canvas(512)
    canvas.note(WHOLE, 16, "the values V of two words, shape (2, 8)", anchor="middle")
    _rows(canvas, WHOLE, 26, V)
    for i, (x, name) in enumerate(zip(PIECES, ("first head", "second head"), strict=True)):
        middle = WHOLE + (2 * i - 1) * 2 * WIDE  # of its columns in the whole
        canvas.line((middle, 80), (x, 110))
        canvas.text(x, 130, name, "bold")
        _rows(canvas, x, 140, pieces[i], named=not i)
        canvas.line((x - 60, 194), (x - 60, 332))
        _weights(canvas, x, 256, WEIGHTS[i])
        _rows(canvas, x, 336, outputs[i], named=not i)
        canvas.line((x, 390), (middle, 420))
    canvas.note(WHOLE, 442, "concatenated, (2, 8)", anchor="middle")
    _rows(canvas, WHOLE, 452, merged)
    parts = [
        f"The {name} head gets {_said(pieces[i])}, has weights {_said(WEIGHTS[i])}, and returns {_said(outputs[i])}."
        for i, name in enumerate(("first", "second"))
    ]
    return canvas.finish(
        "Two heads",
        f"The values of two words, {' and '.join(WORDS)}, have eight numbers each, {_said(V)}. They are cut into two"
        f" heads of four. {' '.join(parts)} Concatenated, that is {_said(merged)}.",
    )


def _rows(canvas: Canvas, x: float, y: float, rows: np.ndarray, *, named: bool = True) -> None:
    """Draw a matrix of values with its upper edge at y, centered at x, and the words on its left if it is ``named``."""
    left = x - rows.shape[1] * WIDE / 2
    canvas.matrix(left, y, rows.tolist(), "value", top=8, cell=WIDE)
    for i, word in enumerate(WORDS if named else ()):
        canvas.note(left - 6, y + i * CELL + 18, word, anchor="end")


def _weights(canvas: Canvas, x: float, y: float, weights: np.ndarray) -> None:
    """Draw a matrix of weights with its upper edge at y, named by its queries on the left and its keys above."""
    canvas.note(x + 26, y - 26, "weights", "weight", "middle")
    canvas.matrix(x - 10, y, weights.tolist(), "weight", top=1, cell=36)
    for i, word in enumerate(WORDS):
        canvas.note(x + 8 + 36 * i, y - 6, word, anchor="middle")
        canvas.note(x - 15, y + i * CELL + 18, word, anchor="end")


def _said(rows: np.ndarray) -> str:
    """Return the rows of a matrix in words."""
    return " and ".join(f"({', '.join(map(number, row))})" for row in rows)
