"""A layer with two heads up to W_O: project, split, attend in each head, and join."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

WORDS = ("ice", "cream")
Q = np.array([[2.0, 1.0, 3.0, 1.0], [12.0, 0.0, 1.0, 2.0]])  # (T, d_model)
K = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0]])  # (T, d_model)
V = np.array([[1.0, 2.0, 5.0, 0.0], [3.0, 4.0, 1.0, 0.0]])  # (T, d_model)
NAMES, MIDDLES = ("head 0", "head 1"), (132, 284)  # the two heads, and the middle of each
STEPS = {"project": 78, "split": 158, "attend": 320, "join": 526}  # each with its height
WIDE, CENTER = 28, sum(MIDDLES) / 2


def split_heads() -> Drawing:
    """Draw a layer of two heads: two words of four features on their way from X to the joined results."""
    q, k, v = (F.split_heads(each, 2) for each in (Q, K, V))  # (n_heads, T, d_k) each
    weights = F.scaled_dot_product_attention(q, k, v, F.causal_mask(2))[1].round(2)  # (n_heads, T, S)
    found = weights @ v  # (n_heads, T, d_v)
    joined = F.merge_heads(found)  # (T, d_model)
    canvas = Canvas(574)
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
        _head(canvas, i, x, {"Q": q[i], "K": k[i], "weights": weights[i], "V": v[i], "Y": found[i]})
        canvas.line((x, 470), (CENTER + (2 * i - 1) * WIDE, 494), kind="value")
    _rows(canvas, CENTER, 496, joined, "value")
    for i, word in enumerate(WORDS):
        canvas.note(CENTER - 2 * WIDE - 6, 496 + i * CELL + 18, word, anchor="end")
    canvas.text(CENTER + 2 * WIDE + 10, 527, "(2, 4)", anchor="start")
    canvas.note(CENTER, 568, "next: times W_O", anchor="middle")
    parts = [
        f"{name} has the queries {_said(q[i])}, the keys {_said(k[i])} and the values {_said(v[i])}. Its weights are"
        f" {_said(weights[i])}, and it returns {_said(found[i])}."
        for i, name in enumerate(NAMES)
    ]
    return canvas.finish(
        "A layer of two heads",
        "X, two words of four features, is multiplied by W_Q, W_K and W_V, and the products are cut into two heads of"
        f" width two. {' '.join(parts)} Joined, that is {_said(joined)}, which is then multiplied by W_O.",
    )


def _head(canvas: Canvas, i: int, x: float, numbers: dict[str, np.ndarray]) -> None:
    """Draw one head, centered at x: its queries and keys, its weights times its values, and what it returns."""
    canvas.line((x, 146), (x, 170))
    canvas.frame(x - 72, 172, 144, 298)
    canvas.text(x, 190, NAMES[i], "bold")
    left, right = x - 36, x + 36
    canvas.line((left, 268), (left, 302), kind="weight")
    canvas.line((right, 268), (left + 20, 302), kind="weight")
    canvas.line((x, 380), (x, 406), kind="value")
    for middle, y, name, role, top in (
        (left, 214, "Q", "query", 12),
        (right, 214, "K", "key", 4),
        (left, 322, "weights", "weight", 1),
        (right, 322, "V", "value", 8),
    ):
        if name == "weights":
            canvas.note(middle, y - 6, name, role, "middle")
        else:
            canvas.text(middle, y - 6, f"{name}_{i}")
        _rows(canvas, middle, y, numbers[name], role, top)
    canvas.text(x, 353, "·")
    canvas.text(x - 36, 439, f"Y_{i}", anchor="end")
    _rows(canvas, x, 408, numbers["Y"], "value")


def _rows(canvas: Canvas, x: float, y: float, rows: np.ndarray, role: str, top: float = 8) -> None:
    """Draw a matrix with its upper edge at y, centered at x."""
    canvas.matrix(x - rows.shape[1] * WIDE / 2, y, rows.tolist(), role, top=top, cell=WIDE)


def _said(rows: np.ndarray) -> str:
    """Return the rows of a matrix in words."""
    return " and ".join(f"({', '.join(map(number, row))})" for row in rows)
