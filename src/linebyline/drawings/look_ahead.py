"""Why the mask matters from two layers on: the last word reads earlier words, and these have looked ahead."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

WORDS, VALUES = ("I", "like", "tea"), (2.0, 4.0, 9.0)
PANELS = (("with the mask", 60), ("without it", 213))  # and where each begins
STEP, WIDE = 49, 42  # from one word to the next, and of a cell
ROWS = (84, 176, 268)  # the values, and what comes out of each layer


def means() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the outputs of two layers that take plain means, by panel."""
    T = len(WORDS)
    flat, found = np.zeros((T, 1)), {}
    for (name, _), mask in zip(PANELS, (F.causal_mask(T), None), strict=True):
        first, _ = F.scaled_dot_product_attention(flat, flat, np.array(VALUES)[:, None], mask)
        second, _ = F.scaled_dot_product_attention(flat, flat, first, mask)
        found[name] = first[:, 0], second[:, 0]
    return found


def look_ahead() -> Drawing:
    """Draw two layers that average three words, with the causal mask and without it."""
    canvas = Canvas(288)
    for name, left in PANELS:
        first, second = means()[name]
        canvas.text(left + STEP * 1.5, 18, name, "bold")
        at = [left + STEP * (i + 0.5) for i in range(len(WORDS))]
        for t, s in np.ndindex(len(WORDS), len(WORDS)):
            if s <= t or name != PANELS[0][0]:
                _arrow(canvas, at[s], ROWS[0], at[t], ROWS[1], ahead=s > t)
        for s in range(len(WORDS)):
            _arrow(canvas, at[s], ROWS[1], at[-1], ROWS[2])
        for x, word, value, mean in zip(at, WORDS, VALUES, first, strict=True):
            canvas.token(x, 46, word, 46)
            canvas.vector(x, ROWS[0], [value], "value", top=12, cell=WIDE)
            canvas.vector(x, ROWS[1], [float(mean)], "layer", top=12, cell=WIDE)
        canvas.vector(at[-1], ROWS[2], [float(second[-1])], "layer", top=12, cell=WIDE)
    for y, name in zip(ROWS, ("values", "layer 1", "layer 2"), strict=True):
        canvas.note(4, y + 5, name)
    said = "; ".join(
        f"{name}, layer 1 gives {', '.join(number(float(mean)) for mean in first)}, and the last output of layer 2 is"
        f" {number(float(second[-1]))}"
        for name, (first, second) in means().items()
    )
    return canvas.finish(
        "Two layers with the mask and without it",
        f"The words {' '.join(WORDS)} have the values {', '.join(map(number, VALUES))}. Each layer takes the mean of"
        f" what a word may see: {said}. The last output of layer 1 is the same in both.",
    )


def _arrow(canvas: Canvas, x: float, y: float, to_x: float, to_y: float, *, ahead: bool = False) -> None:
    """Draw what is read from the row above; an arrow that looks ahead, to the left, has a color and is thicker."""
    start, end = (x, y + CELL / 2 + 1), (to_x, to_y - CELL / 2 - 3)
    canvas.line(start, end, kind="query" if ahead else "off", width=2.5 if ahead else 0, arrow=ahead)
