"""A bias for the distance, and what it does: the numbers of ALiBi, and the weights of words that score alike."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

WORDS, SLOPE = 4, 0.5
LEFTS, WIDE = (24, 204), 38
TOP = 44


def bias_grids() -> Drawing:
    """Draw what ALiBi with the slope 1/2 adds to the scores of four words, and the weights if all score the same."""
    positions = np.arange(WORDS)
    bias = -SLOPE * np.abs(positions[:, None] - positions)  # (T, S)
    weights = F.softmax(np.where(F.causal_mask(WORDS), bias, -np.inf))
    canvas = Canvas(TOP + WORDS * CELL + 26)
    for x, title, grid in zip(LEFTS, ("bias", "weights"), (bias, weights), strict=True):
        shades, role = (bias / bias.min(), "layer") if grid is bias else (weights, "weight")
        canvas.text(x + WORDS * WIDE / 2, 18, title, "bold")
        canvas.note(x + WORDS * WIDE / 2, TOP + WORDS * CELL + 18, "key at 0 to 3", "key", "middle")
        for t, s in np.ndindex(WORDS, WORDS):
            place = {"x": x + s * WIDE, "y": TOP + t * CELL, "width": WIDE, "height": CELL}
            if s > t:
                canvas.add("rect", **place, class_="off")
                continue
            canvas.add("rect", **place, class_=f"cell {role}", fill_opacity=round(0.05 + 0.6 * float(shades[t, s]), 2))
            words = number(float(grid[t, s])) if grid is bias else f"{grid[t, s]:.2f}"
            canvas.text(x + (s + 0.5) * WIDE, TOP + t * CELL + 18, words, size=13)
    for t in range(WORDS):
        canvas.note(16, TOP + t * CELL + 18, str(t), "query", "end")
    canvas.note(4, TOP - 10, "query", "query")
    return canvas.finish(
        "A bias for the distance",
        "Two grids of four queries by four keys, with later keys masked. In the first, the bias of a key falls by half"
        f" for each step back: {', '.join(number(each) for each in bias[-1])} in the last row. In the second are the"
        f" weights if all words score the same: {', '.join(number(each) for each in weights[-1])} in the last row.",
    )
