"""A query and two keys in the plane, compared by dot product, by cosine and by distance."""

import numpy as np

from .kit import Canvas, Drawing

QUERY, KEYS = np.array([2.0, 0.0]), np.array([[3.0, 3.0], [2.0, 0.0]])
UNIT, X, Y = 42, 60, 168  # pixels of a unit, and where the arrows start
COLUMNS, ROW = (158, 236, 314), 28


def comparisons() -> Drawing:
    """Draw a query, a long key at an angle and a key equal to the query, with a table of the three comparisons."""
    canvas, (long, same) = Canvas(324), KEYS
    for vector, role, low in ((long, "key", 0), (same, "key", 0), (QUERY, "query", 9)):  # the last two are side by side
        end = (float(X + UNIT * vector[0]), float(Y + low - UNIT * vector[1]))
        canvas.line((X, Y + low), end, kind=role, width=3)
    canvas.text(X + 3 * UNIT + 10, Y - 3 * UNIT + 4, "key A = (3, 3)", "key", "start")
    canvas.text(X + 2 * UNIT + 20, Y - 4, "key B = (2, 0)", "key", "start")
    canvas.text(X + 2 * UNIT + 20, Y + 16, "query = (2, 0)", "query", "start")
    canvas.text(X + 46, Y - 14, "45°", size=13)
    dot = KEYS @ QUERY
    rows = {
        "dot product": [f"{x:.0f}" for x in dot],
        "cosine": [f"{x:.2f}" for x in dot / np.linalg.norm(KEYS, axis=1) / np.linalg.norm(QUERY)],
        "distance": [f"{x:.2f}" for x in np.linalg.norm(KEYS - QUERY, axis=1)],
    }
    best = {"dot product": 0, "cosine": 1, "distance": 1}
    top = Y + 50
    for x, words in zip(COLUMNS, ("key A", "key B", "winner"), strict=True):
        canvas.note(x, top, words, anchor="middle")
    for i, (name, numbers) in enumerate(rows.items()):
        y = top + ROW * (i + 1)
        canvas.text(8, y, name, anchor="start")
        for j, (x, words) in enumerate(zip(COLUMNS, numbers, strict=False)):
            canvas.text(x, y, words, "bold" if j == best[name] else "")
        canvas.text(COLUMNS[2], y, "AB"[best[name]], "bold key")
    said = "; ".join(f"by {name} A has {a} and B has {b}, so {'AB'[best[name]]} wins" for name, (a, b) in rows.items())
    return canvas.finish(
        "Three comparisons of a query with two keys",
        "The query is (2, 0). Key A is (3, 3), which is longer and 45 degrees away; key B is equal to the query."
        f" {said[0].upper()}{said[1:]}.",
    )
