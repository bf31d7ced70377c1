"""What two norms average over: the features of one token, or one feature of all tokens of the batch."""

import numpy as np

from .kit import CELL, Canvas, Drawing, number

WORDS = ("ice", "cream", "tea")
TABLE = np.array([[1, 3, 5, 7], [2, 0, 4, 2], [6, 6, 3, 9]])  # (N, d)
LEFT, WIDE, GAP = 56, 36, 8
MEAN, STD = 246, 286  # the columns of what is computed for each row


def norm_axes() -> Drawing:
    """Draw the same table twice: cut into rows for layer norm, and into columns for batch norm."""
    N, d = TABLE.shape
    canvas = Canvas(396, width=310)
    canvas.text(4, 18, "Layer norm: each row by itself", "bold", "start")
    canvas.note(LEFT + d * WIDE / 2, 44, "features", anchor="middle")
    canvas.note(MEAN, 44, "mean", anchor="middle")
    canvas.note(STD, 44, "std", anchor="middle")
    y = 54
    for word, row in zip(WORDS, TABLE, strict=True):
        canvas.note(LEFT - 8, y + 18, word, anchor="end")
        canvas.matrix(LEFT, y, [row.tolist()], top=9, cell=WIDE)
        canvas.line((LEFT + d * WIDE + 4, y + CELL / 2), (LEFT + d * WIDE + 24, y + CELL / 2))
        canvas.note(MEAN, y + 18, number(row.mean()), "", "middle")
        canvas.note(STD, y + 18, number(row.std()), "", "middle")
        y += CELL + GAP
    y += 46
    canvas.text(4, y, "Batch norm: each column by itself", "bold", "start")
    canvas.note(LEFT + d * (WIDE + GAP) / 2 - GAP / 2, y + 26, "features", anchor="middle")
    y += 36
    for i, word in enumerate(WORDS):
        canvas.note(LEFT - 8, y + i * CELL + 18, word, anchor="end")
    for j, column in enumerate(TABLE.T):
        x = LEFT + j * (WIDE + GAP)
        canvas.matrix(x, y, column[:, None].tolist(), top=9, cell=WIDE)
        middle, below = x + WIDE / 2, y + N * CELL
        canvas.line((middle, below + 4), (middle, below + 24))
        canvas.note(middle, below + 42, number(column.mean()), "", "middle")
        canvas.note(middle, below + 60, number(column.std()), "", "middle")
    canvas.note(LEFT - 8, y + N * CELL + 42, "mean", anchor="end")
    canvas.note(LEFT - 8, y + N * CELL + 60, "std", anchor="end")
    rows = [f"the row of {word} has mean {number(row.mean())}" for word, row in zip(WORDS, TABLE, strict=True)]
    columns = ", ".join(number(column.mean()) for column in TABLE.T)
    return canvas.finish(
        "What layer norm and batch norm average over",
        f"The same table of {N} tokens with {d} features each, twice. Layer norm takes each row by itself:"
        f" {'; '.join(rows)}. Batch norm takes each column by itself: the columns have the means {columns}, so that"
        " what happens to a token depends on the other tokens of the batch.",
    )
