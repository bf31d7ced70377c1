"""Attention with a window: which scores remain of those that a causal mask allows."""

from typing import Any

import numpy as np

from .kit import CELL, Canvas, Drawing

TOKENS, WINDOW = 6, 3
LEFT, TOP, COUNT = 96.0, 46.0, 290.0  # the grid, and the column with the scores of each query


def allowed(tokens: int = TOKENS, window: int = WINDOW) -> np.ndarray:
    """Return True for each query, a row, and each key that it may see: itself and the tokens just before it.

    Example:
        >>> allowed().sum(axis=1).tolist(), int(allowed(window=6).sum())
        ([1, 2, 3, 3, 3, 3], 21)
    """
    t, s = np.indices((tokens, tokens))
    seen: np.ndarray = (s <= t) & (s > t - window)
    return seen


def window_grid() -> Drawing:
    """Draw a causal grid of scores of which only those in the window are computed, with their number in each row."""
    canvas, seen = Canvas(TOP + TOKENS * CELL + 30), allowed()
    causal = allowed(window=TOKENS)
    canvas.note(LEFT + TOKENS * CELL / 2, 18, "column: a key", "key", "middle")
    canvas.note(COUNT, 18, "scores", "", "middle")
    canvas.note(4, TOP + 3 * CELL, "row:", "query")
    canvas.note(4, TOP + 3 * CELL + 18, "a query", "query")
    for n in range(TOKENS):
        y = TOP + n * CELL
        canvas.note(LEFT + (n + 0.5) * CELL, TOP - 6, str(n + 1), "key", "middle")
        canvas.note(LEFT - 10, y + 18, str(n + 1), "query", "end")
        canvas.note(COUNT, y + 18, str(seen[n].sum()), "", "middle")
        for s in range(TOKENS):
            place: dict[str, Any] = {"x": LEFT + s * CELL, "y": y, "width": CELL, "height": CELL}
            if seen[n, s]:
                canvas.add("rect", **place, class_="cell weight", fill_opacity=0.4)
            elif causal[n, s]:
                canvas.add("rect", **place, class_="off")
    canvas.note(COUNT, TOP + TOKENS * CELL + 20, f"{seen.sum()} of {causal.sum()}", "bold", "middle")
    counts = ", ".join(map(str, seen.sum(axis=1)))
    return canvas.finish(
        "A window of three tokens",
        f"A grid of {TOKENS} queries by {TOKENS} keys. Each query sees itself and at most {WINDOW - 1} tokens before"
        f" it, so the rows have {counts} scores: {seen.sum()} of the {causal.sum()} that a causal mask allows.",
    )
