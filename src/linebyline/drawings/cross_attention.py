"""Cross-attention as a grid of weights: words that are written ask, and words that are read answer."""

from collections.abc import Sequence

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number
from .soft_lookup import PASSED, VALUES

SOURCE = ("Jane", "visite", "l’Afrique", "en", "septembre")
TARGET = ("<sos>", "In", "September", "Jane")
WRITES = ("In", "September", "Jane", "visits")
ROOM = 20  # for the answers
SMALLEST = 0.05  # of the weights that the example shows
LEFT, TOP, STEP = 72, 104, 43  # the corner of the grid, and from one key to the next, if there is room


def example() -> np.ndarray:
    """Return the weights of four questions, when, when, who and what, to the five words of the source, (4, 5)."""
    keys = np.eye(4)[[0, 1, 2, 3, 3]]  # (S, d_k)
    keys[3] *= 0.4
    weights: np.ndarray = F.softmax(4 * np.eye(4)[[3, 3, 0, 1]] @ keys.T)  # (T, S)
    return weights


def cross_attention(
    weights: np.ndarray | None = None,
    source: Sequence[str] = SOURCE,
    target: Sequence[str] = TARGET,
    writes: Sequence[str] = WRITES,
    *,
    top: float = 1,
) -> Drawing:
    """Draw how much weight each word of the target, a row, puts on each word of the source, a column.

    The example also has answers: what most of the average of the values tells. ``top`` is the darkest weight.
    """
    told = [PASSED[i] for i in (example() @ VALUES).argmax(axis=-1)] if weights is None else None
    weights = example() if weights is None else weights
    bottom = TOP + len(target) * CELL
    left = max(LEFT, 8 + 9 * max(map(len, target)))
    step = min(STEP, (336 - left - 8 * max(map(len, writes)) - (ROOM if told else 0)) // len(source))
    one_line = 7.4 * max(map(len, source)) <= step
    levels = (48, 72) if step == STEP else (80,) if one_line else (80, 60, 40)  # longer words need more lines
    canvas = Canvas(bottom + 32)
    canvas.note(left + step * len(source) / 2, 18, "the source: keys and values", "key", "middle")
    canvas.note(4, 40, "target:", "query")
    canvas.note(4, 57, "queries", "query")
    canvas.note(356, TOP - 12, "writes", "", "end")
    right = left + step * len(source)
    if told:
        canvas.note(right + 9, TOP - 12, "told", "value")
    for s, word in enumerate(source):
        x = left + (s + 0.5) * step
        y = levels[s % len(levels)]
        canvas.note(x, y, word, "key", "middle")
        canvas.line((x, y + 6), (x, TOP - 5), kind="key")
    for t, (word, row, wrote) in enumerate(zip(target, weights, writes, strict=True)):
        y = TOP + t * CELL
        canvas.note(4, y + 18, word, "query")
        shown = ["" if told and weight < SMALLEST else float(weight) for weight in row]
        canvas.matrix(left, y, [shown], "weight", top=top, cell=step)
        if told:
            canvas.note(right + 9, y + 18, told[t], "value")
        else:
            canvas.line((right + 4, y + 13), (right + 16, y + 13), kind="value")
        canvas.note(356, y + 18, wrote, "", "end")
    remark = "an empty cell: 0.02" if told else "each row adds up to 1, up to rounding"
    canvas.note(180, bottom + 22, remark, anchor="middle")
    said = "; ".join(
        f"{word} puts {', '.join(f'{number(float(w))} on {key}' for w, key in zip(row, source, strict=True))}, and"
        f" {wrote} is written"
        for word, row, wrote in zip(target, weights, writes, strict=True)
    )
    return canvas.finish(
        "Cross-attention",
        f"A grid of weights with a row for each word of the target and a column for each word of the source: {said}."
        + (f" The rows are told: {', '.join(told)}." if told else ""),
    )
