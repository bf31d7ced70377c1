"""The key-value cache in its first three steps: what is new, what is kept, and what one query reads."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

WORDS = ("Dan", "loves", "ice")
X = np.array([[1, 0], [0, 1], [1, 1]])  # (T, d_model)
W_Q, W_K, W_V = np.array([[[1, 1], [0, 2]], [[2, 0], [1, 1]], [[0, 1], [2, 0]]])  # (d_model, d_k) each
Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (T, d_k) each
WEIGHTS = [F.softmax(Q[t] @ K[: t + 1].T / np.sqrt(2)) for t in range(3)]  # (t + 1,) each
HIGH, WIDE = 225, 28  # a step, and a cell
QUERY, FIRST, STEP = 46, 156, 78  # the middle of the query and of the first column, and from one column to the next


def cache_steps() -> Drawing:
    """Draw three steps of generation: each computes one query, one key and one value, and keeps the last two."""
    canvas = Canvas(3 * HIGH + 46)
    for t in range(len(WORDS)):
        _step(canvas, t, 4 + t * HIGH)
    canvas.note(4, 3 * HIGH + 16, "Step 3 computes one key and one value.", "")
    canvas.note(4, 3 * HIGH + 34, "Without the cache it would compute three of each.", "")
    said = [
        f"step {t + 1} reads '{word}', computes its query {_row(Q[t])}, key {_row(K[t])} and value {_row(V[t])}, and"
        f" finds {('nothing', 'one pair', 'two pairs')[t]} in the cache; its weights are"
        f" {', '.join(f'{weight:.2f}' for weight in WEIGHTS[t])}"
        for t, word in enumerate(WORDS)
    ]
    return canvas.finish(
        "The key-value cache in three steps",
        f"Each step reads one token: {'; '.join(said)}. The query reads the kept pairs and the new one, which then"
        " joins the cache. Kept pairs have the same numbers in every step, so they are not computed again.",
    )


def _step(canvas: Canvas, t: int, y: float) -> None:
    """Draw step ``t`` with its upper edge at y: the newest token's query above all keys and values so far."""
    canvas.text(4, y + 18, f"Step {t + 1}", "bold", "start")
    canvas.vector(QUERY, y + 46, Q[t].tolist(), "query", top=3, cell=WIDE)
    canvas.note(QUERY, y + 76, "query", "query", "middle")
    last = FIRST + t * STEP
    canvas.line((QUERY + WIDE, y + 46), (last, y + 46), kind="query", arrow=False)
    canvas.note(FIRST - 40, y + 82, "key", "key", "end")
    canvas.note(FIRST - 40, y + 82 + CELL, "value", "value", "end")
    if t:
        band(canvas, FIRST - 34, y + 58, t * STEP - 10, 2 * CELL + 30)
        canvas.note(FIRST - 28, y + 133, "cache", "bold")
    for s, word in enumerate(WORDS[: t + 1]):
        x, new = FIRST + s * STEP, s == t
        if new:
            canvas.token(x, y + 14, word, 66, "lit")
        else:
            canvas.note(x, y + 19, word, anchor="middle")
        canvas.line((x, y + 46), (x, y + 62), kind="query")
        for row, (role, numbers) in enumerate((("key", K[s]), ("value", V[s]))):
            canvas.vector(x, y + 77 + row * CELL, numbers.tolist(), role, top=3, cell=WIDE)
        if new:
            canvas.note(x, y + 133, "new", "", "middle")
        canvas.bar(x, y + 158, WEIGHTS[t][s], 2 * WIDE)
    if t < len(WORDS) - 1:
        down = last + WIDE + 13  # between two columns
        canvas.line((last + 18, y + 129), (down, y + 129), (down, y + HIGH + 129), (last + 20, y + HIGH + 129))
    canvas.note(FIRST - 40, y + 163, "weight", "weight", "end")
    found = WEIGHTS[t] @ V[: t + 1]
    canvas.note(last - 40, y + 195, "result", "value", "end")
    canvas.vector(last, y + 190, [f"{each:.2f}" for each in found], "value", cell=36)


def band(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """Tint the place of a cache, behind the keys and values that are drawn on it."""
    canvas.add("rect", x=x, y=y, width=width, height=height, rx=10, class_="filled layer", style="fill-opacity:0.16")


def _row(numbers: np.ndarray) -> str:
    """Return a vector in words."""
    return f"({', '.join(map(number, numbers))})"
