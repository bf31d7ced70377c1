"""The whole layer with two heads: project, split, attend in each head, join, and multiply by the output matrix."""

import numpy as np

from clearformer import functional as F

from .head_sum import W_O
from .kit import CELL, Canvas, Drawing, number

WORDS = ("ice", "cream")
V = np.array([[1.0, 2.0, 5.0, 0.0], [3.0, 4.0, 1.0, 0.0]])  # (T, d_model)
WEIGHTS = np.array([[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]])  # (n_heads, T, T)
NAMES, MIDDLES = ("head 0", "head 1"), (132, 284)  # the two heads, and the middle of each
STEPS = {"project": 78, "split": 158, "attend": 312, "join": 479, "output": 572}  # each with its height
WIDE, CENTER = 28, sum(MIDDLES) / 2


def split_heads() -> Drawing:
    """Draw a layer of two heads: two words of four features on their way from X to the output."""
    pieces = F.split_heads(V, 2)  # (n_heads, T, d_v)
    found = WEIGHTS @ pieces  # (n_heads, T, d_v)
    joined = F.merge_heads(found)  # (T, d_model)
    canvas = Canvas(640)
    for name, y in STEPS.items():
        canvas.text(2, y, name, "bold", "start", 13)
    canvas.box(CENTER - 46, 4, 92, 30, "X (2, 4)")
    for role, name, x in (("query", "Q", 106), ("key", "K", CENTER), ("value", "V", 310)):
        canvas.line((CENTER + 0.4 * (x - CENTER), 34), (x, 56))
        canvas.box(x - 46, 58, 92, 30, f"W_{name} (4, 4)", role=role)
        canvas.line((x, 88), (x, 106), kind=role)
        canvas.box(x - 46, 108, 92, 30, f"{name} (2, 4)", role=role)
    canvas.line((60, 146), (356, 146), arrow=False)
    for i, x in enumerate(MIDDLES):
        _head(canvas, i, x, pieces[i], found[i])
        canvas.line((x, 422), (CENTER + (2 * i - 1) * WIDE, 446), kind="value")
    _rows(canvas, CENTER, 448, joined, "value")
    canvas.line((CENTER, 500), (CENTER, 524))
    canvas.box(CENTER - 46, 526, 92, 30, "W_O (4, 4)", role="layer")
    canvas.line((CENTER, 556), (CENTER, 580))
    _rows(canvas, CENTER, 582, joined @ W_O, "layer")
    for y, shape in ((448, "(2, 4)"), (582, "Y (2, 4)")):
        _names(canvas, CENTER - 2 * WIDE, y)
        canvas.text(CENTER + 2 * WIDE + 10, y + 31, shape, anchor="start")
    parts = [
        f"{name} gets the values {_said(pieces[i])}, has the weights {_said(WEIGHTS[i])}, and finds {_said(found[i])}."
        for i, name in enumerate(NAMES)
    ]
    return canvas.finish(
        "A layer of two heads",
        "X, two words of four features, is multiplied by W_Q, W_K and W_V, and the products are cut into two heads of"
        f" width two. {' '.join(parts)} Joined, that is {_said(joined)}, and W_O turns it into {_said(joined @ W_O)}.",
    )


def _head(canvas: Canvas, i: int, x: float, values: np.ndarray, found: np.ndarray) -> None:
    """Draw one head, centered at x: its queries and keys, its weights times its values, and what it finds."""
    canvas.line((x, 146), (x, 170))
    canvas.frame(x - 72, 172, 144, 250)
    canvas.text(x, 192, NAMES[i], "bold")
    for role, name, left in (("query", "Q", x - 67), ("key", "K", x - 21), ("value", "V", x + 25)):
        canvas.box(left, 202, 42, 26, f"{name}_{i}", role=role)
    for start, end in ((x - 46, x - 40), (x, x - 28)):
        canvas.line((start, 228), (end, 258), kind="weight")
    canvas.line((x + 46, 228), (x + 35, 258), kind="value")
    for middle, words, numbers in ((x - 35, "weight", WEIGHTS[i]), (x + 35, "value", values)):
        canvas.note(middle, 274, f"{words}s", words, "middle")
        _rows(canvas, middle, 280, numbers, words, top=8 if words == "value" else 1)
    canvas.text(x, 311, "·")
    canvas.line((x, 336), (x, 360), kind="value")
    canvas.text(x - 36, 393, f"Y_{i}", anchor="end")
    _rows(canvas, x, 362, found, "value")


def _rows(canvas: Canvas, x: float, y: float, rows: np.ndarray, role: str, top: float = 8) -> None:
    """Draw a matrix with its upper edge at y, centered at x."""
    canvas.matrix(x - rows.shape[1] * WIDE / 2, y, rows.tolist(), role, top=top, cell=WIDE)


def _names(canvas: Canvas, x: float, y: float) -> None:
    """Name the rows of a matrix whose upper left corner is at (x, y)."""
    for i, word in enumerate(WORDS):
        canvas.note(x - 6, y + i * CELL + 18, word, anchor="end")


def _said(rows: np.ndarray) -> str:
    """Return the rows of a matrix in words."""
    return " and ".join(f"({', '.join(map(number, row))})" for row in rows)
