"""A layer with two heads up to W_O: project, split, attend in each head, and join."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, SMALL, Canvas, Drawing, number
from .whole_word import WORD

WORDS = ("ice", "cream")
X = np.array([[1.0, 2.0, 1.0, 0.0], WORD])  # (T, d_model)
Q = np.array([[2.0, 1.0, 3.0, 1.0], [12.0, 0.0, 1.0, 2.0]])  # (T, d_model)
K = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0]])  # (T, d_model)
V = np.array([[1.0, 2.0, 5.0, 0.0], [3.0, 4.0, 1.0, 0.0]])  # (T, d_model)
NAMES, MIDDLES = ("head 0", "head 1"), (132, 284)  # the two heads, and the middle of each
STEPS = {"project": 54, "split": 274, "attend": 452, "join": 658}  # each with its height
WIDE, CENTER, CUT, TOP = 28, sum(MIDDLES) / 2, 26, 304  # two widths of a cell; where the frames of the heads begin
BELOW = 24 + 2 * CELL  # where the rows of X end
TABLES = {"query": ("Q", Q, 56, 12), "key": ("K", K, 180, 4), "value": ("V", V, 304, 8)}  # name, middle, darkest


def split_heads() -> Drawing:
    """Draw a layer of two heads: two words of four features on their way from X to the joined results."""
    q, k, v = (F.split_heads(each, 2) for each in (Q, K, V))  # (n_heads, T, d_k) each
    weights = F.scaled_dot_product_attention(q, k, v, F.causal_mask(2))[1].round(2)  # (n_heads, T, S)
    found = weights @ v  # (n_heads, T, d_v)
    joined = F.merge_heads(found)  # (T, d_model)
    canvas = Canvas(TOP + 402)
    for name, y in STEPS.items():
        canvas.text(2, y, name, "bold", "start", 13)
    canvas.text(180, 17, "X (2, 4)")
    _rows(canvas, 180, BELOW - 2 * CELL, X, "", 6)
    for i, word in enumerate(WORDS):
        canvas.note(180 - 2 * WIDE - 6, BELOW - (2 - i) * CELL + 18, word, anchor="end")
    for role in TABLES:
        _cut(canvas, role)
    for i, x in enumerate(MIDDLES):
        _head(canvas, i, x, {"Q": q[i], "K": k[i], "weights": weights[i], "V": v[i], "Y": found[i]})
        canvas.line((x, TOP + 298), (CENTER + (2 * i - 1) * WIDE, TOP + 322), kind="value")
    low = TOP + 324
    _rows(canvas, CENTER, low, joined, "value")
    for i, word in enumerate(WORDS):
        canvas.note(CENTER - 2 * WIDE - 6, low + i * CELL + 18, word, anchor="end")
    canvas.text(CENTER + 2 * WIDE + 10, low + 31, "(2, 4)", anchor="start")
    canvas.note(CENTER, low + 72, "next: times W_O", anchor="middle")
    parts = [
        f"{name} has the queries {_said(q[i])}, the keys {_said(k[i])} and the values {_said(v[i])}. Its weights are"
        f" {_said(weights[i])}, and it returns {_said(found[i])}."
        for i, name in enumerate(NAMES)
    ]
    return canvas.finish(
        "A layer of two heads",
        f"X has the rows {_said(X)}, for ice and cream. It is multiplied by W_Q, W_K and W_V, which gives Q,"
        f" {_said(Q)}, K, {_said(K)}, and V, {_said(V)}. Each is cut between its second and its third column: the left"
        f" half falls into head 0, and the right half into head 1. {' '.join(parts)} Joined, that is {_said(joined)},"
        " which is then multiplied by W_O.",
    )


def _cut(canvas: Canvas, role: str) -> None:
    """Draw one of Q, K and V as a table, cut into two halves, each of which falls into its head."""
    name, rows, x, top = TABLES[role]
    canvas.line((180 + 0.3 * (x - 180), BELOW), (x, BELOW + 22))
    canvas.box(x - 46, BELOW + 24, 92, 30, f"W_{name} (4, 4)", role=role)
    canvas.line((x, BELOW + 54), (x, BELOW + 70), kind=role)
    canvas.text(x, BELOW + 87, f"{name} (2, 4)")
    canvas.matrix(x - 2 * CUT, BELOW + 94, rows.tolist(), role, top=top, cell=CUT)
    canvas.add("path", d=f"M{x} {BELOW + 90}V{BELOW + 168}", class_="frame")
    for i, middle in enumerate(MIDDLES):
        half = x + (2 * i - 1) * CUT
        canvas.note(half, BELOW + 162, NAMES[i], anchor="middle")
        canvas.line((half, BELOW + 168), (middle + (x - 180) / 3, TOP - 2), kind=role)


def _head(canvas: Canvas, i: int, x: float, numbers: dict[str, np.ndarray]) -> None:
    """Draw one head, centered at x: its queries and keys, its weights times its values, and what it returns."""
    canvas.frame(x - 72, TOP, 144, 298)
    canvas.text(x, TOP + 18, NAMES[i], "bold")
    left, right = x - 36, x + 36
    canvas.line((left, TOP + 96), (left, TOP + 130), kind="weight")
    canvas.line((right, TOP + 96), (left + 20, TOP + 130), kind="weight")
    canvas.line((x, TOP + 208), (x, TOP + 234), kind="value")
    for middle, y, name, role, top in (
        (left, TOP + 42, "Q", "query", 12),
        (right, TOP + 42, "K", "key", 4),
        (left, TOP + 150, "weights", "weight", 1),
        (right, TOP + 150, "V", "value", 8),
    ):
        if name == "weights":
            canvas.note(middle, y - 6, name, role, "middle")
            _seen(canvas, middle, y, numbers[name])
        else:
            canvas.text(middle, y - 6, f"{name}_{i}")
            _rows(canvas, middle, y, numbers[name], role, top)
    canvas.text(x, TOP + 181, "·")
    canvas.text(x - 36, TOP + 267, f"Y_{i}", anchor="end")
    _rows(canvas, x, TOP + 236, numbers["Y"], "value")


def _rows(canvas: Canvas, x: float, y: float, rows: np.ndarray, role: str, top: float = 8) -> None:
    """Draw a matrix with its upper edge at y, centered at x."""
    canvas.matrix(x - rows.shape[1] * WIDE / 2, y, rows.tolist(), role, top=top, cell=WIDE)


def _seen(canvas: Canvas, x: float, y: float, weights: np.ndarray) -> None:
    """Draw the weights, with a dash where the mask hides a later word."""
    for t, row in enumerate(weights):
        canvas.matrix(x - WIDE, y + t * CELL, [row[: t + 1].tolist()], "weight", top=1, cell=WIDE)
        for s in range(t + 1, len(row)):
            left = x + (s - 1) * WIDE
            canvas.add("rect", x=left, y=y + t * CELL, width=WIDE, height=CELL, class_="off")
            canvas.text(left + WIDE / 2, y + t * CELL + 18, "–", "quiet", size=SMALL)


def _said(rows: np.ndarray) -> str:
    """Return the rows of a matrix in words."""
    return " and ".join(f"({', '.join(map(number, row))})" for row in rows)
