"""A query and two keys, compared by their scores in attention, by cosine and by distance."""

import numpy as np

from .kit import Canvas, Drawing

# Vectors of four entries, of which the last two are 0 and are not drawn.
QUERY, KEYS = np.array([2.0, 0, 0, 0]), np.array([[3.0, 3, 0, 0], [2.0, 0, 0, 0]])
UNIT, X, Y = 42, 60, 168  # pixels of a unit, and where the arrows start
COLUMNS, ROW = (176, 246, 318), 28
BESIDE = 9  # how far below an equal key the query is drawn


def comparisons() -> Drawing:
    """Draw a query, a long key at an angle and a key equal to the query, with a table of the three comparisons."""
    canvas, (long, same) = Canvas(346), KEYS
    for vector, role, down in ((long, "key", 0), (same, "key", 0), (QUERY, "query", BESIDE)):  # the last two are equal
        end = (float(X + UNIT * vector[0]), float(Y + down - UNIT * vector[1]))
        canvas.line((X, Y + down), end, kind=role, width=3)
    tips = [(X + UNIT * vector[0], Y - UNIT * vector[1]) for vector in (QUERY, long)]
    (x0, y0), (x1, y1) = tips
    canvas.add("path", d=f"M{x0:.1f} {y0 - 10:.1f}L{x1:.1f} {y1 + 4:.1f}", class_="frame")
    canvas.text((x0 + x1) / 2 + 10, (y0 + y1) / 2 + 4, f"{np.linalg.norm(long - QUERY):.2f}", anchor="start", size=13)
    canvas.text(X + 3 * UNIT + 10, Y - 3 * UNIT + 4, "key A = (3, 3)", "key", "start")
    canvas.note(X + 3 * UNIT + 10, Y - 3 * UNIT + 22, f"length {np.linalg.norm(long):.2f}")
    canvas.text(X + 2 * UNIT + 20, Y - 4, "key B = (2, 0)", "key", "start")
    canvas.note(X + 2 * UNIT + 95, Y + 16, f"both of length {np.linalg.norm(same):.0f}")
    canvas.text(X + 2 * UNIT + 20, Y + 16, "= query", "query", "start")
    canvas.text(X + 46, Y - 14, "45°", size=13)
    dot = KEYS @ QUERY
    rows = {
        "dot product ÷ 2": [f"{x:.0f}" for x in dot / np.sqrt(len(QUERY))],
        "cosine": [f"{x:.2f}" for x in dot / np.linalg.norm(KEYS, axis=1) / np.linalg.norm(QUERY)],
        "distance": [f"{x:.2f}" for x in np.linalg.norm(KEYS - QUERY, axis=1)],
    }
    best = {"dot product ÷ 2": 0, "cosine": 1, "distance": 1}
    top = Y + 50
    for x, words in zip(COLUMNS, ("key A", "key B", "winner"), strict=True):
        canvas.note(x, top, words, anchor="middle")
    for i, (name, numbers) in enumerate(rows.items()):
        y = top + ROW * (i + 1)
        canvas.text(8, y, name, anchor="start")
        for j, (x, words) in enumerate(zip(COLUMNS, numbers, strict=False)):
            canvas.text(x, y, words, "bold" if j == best[name] else "")
        canvas.text(COLUMNS[2], y, "AB"[best[name]], "bold key")
    canvas.note(8, top + 4 * ROW - 4, "bold: the winner; a smaller distance is better")
    said = "; ".join(f"by {name} A has {a} and B has {b}, so {'AB'[best[name]]} wins" for name, (a, b) in rows.items())
    return canvas.finish(
        "Three comparisons of a query with two keys",
        "The query is (2, 0). Key A is (3, 3), of length 4.24 and 45 degrees away; key B is equal to the query."
        f" {said[0].upper()}{said[1:]}.",
    )
