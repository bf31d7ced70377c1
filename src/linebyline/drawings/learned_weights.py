"""Cross-attention early in training and after it: the same grid of weights twice, with the words that are written."""

from collections.abc import Mapping, Sequence

import numpy as np

from .kit import CELL, Canvas, Drawing, number

SOURCE, TARGET = ("Dan", "loves", "ice", "cream", "."), ("<Swedish>", "Dan", "älskar")
LEFT, STEP, HEAD, APART = 94, 40, 76, 92  # the grid's left edge, a column, above the first grid, and between grids
# The weights of our translator, rounded, and what it writes after each word of the target.
EARLY = ((0.55, 0.01, 0.01, 0.42, 0.01), (0.2, 0.27, 0.11, 0.19, 0.23), (0.15, 0.28, 0.09, 0.33, 0.15))
LATE = ((1, 0, 0, 0, 0), (0.01, 0.98, 0.01, 0, 0), (0, 0, 0.07, 0.92, 0))
EXAMPLE = {
    "after 80 steps": (np.array(EARLY), ("Dan", "och", "alltid")),
    "after 450 steps": (np.array(LATE), ("Dan", "älskar", "glass")),
}


def learned_weights(
    grids: Mapping[str, tuple[np.ndarray, Sequence[str]]] = EXAMPLE,
    source: Sequence[str] = SOURCE,
    target: Sequence[str] = TARGET,
) -> Drawing:
    """Draw for each title how much weight each word of the target puts on each word of the source, and what it writes.

    ``grids`` has for each title the weights, (T, S), and the T words that are written.
    """
    tall = len(target) * CELL
    canvas, said = Canvas(HEAD + len(grids) * tall + (len(grids) - 1) * APART + 10), []
    right = LEFT + STEP * len(source)
    for n, (title, (weights, written)) in enumerate(grids.items()):
        top = HEAD + n * (tall + APART)
        canvas.text(4, top - 58, title, "bold", "start")
        canvas.note(4, top - 12, "reads", "query")
        canvas.note(356, top - 12, "writes", "", "end")
        for s, word in enumerate(source):
            canvas.note(LEFT + (s + 0.5) * STEP, top - 12, word, "key", "middle")
        canvas.note((LEFT + right) / 2, top - 32, "looks at", "key", "middle")
        for t, (word, row, wrote) in enumerate(zip(target, weights, written, strict=True)):
            y = top + t * CELL
            canvas.note(4, y + 18, word, "query")
            canvas.matrix(LEFT, y, [[float(weight) for weight in row]], "weight", top=1, cell=STEP)
            canvas.line((right + 4, y + 13), (right + 14, y + 13), kind="value")
            canvas.note(356, y + 18, wrote, "", "end")
            shares = ", ".join(f"{number(float(w))} on {key}" for w, key in zip(row, source, strict=True))
            said.append(f"{title}, {word} puts {shares}, and {wrote} is written")
    return canvas.finish("Cross-attention before and after training", f"Two grids of weights: {'; '.join(said)}.")
