"""A feature that is 0 in all of training: the numbers of a matrix that it would use stay as they were at the start."""

import numpy as np

from .kit import Canvas, Drawing, number

SEEN, LATER, KEYS = ((1, 0), (2, 0), (3, 0)), (1, 5), ((2, 0), (3, 0))  # rows of positions
M = ((2, -1), (-3, 1))  # after training; only the first number has changed
UNIT, LEFT, FLOOR = 34, 44, 216
CELL, GRID, TOP = 56, 222, 76


def score(row: tuple[int, int] = LATER, key: tuple[int, int] = KEYS[0]) -> int:
    """Return the score of two positions.

    Example:
        >>> score((1, 0)), [score(key=key) for key in KEYS]
        (4, [-26, -39])
    """
    return int(np.array(row) @ np.array(M) @ np.array(key))


def unseen_feature() -> Drawing:
    """Draw the training rows on one axis and a later one off it, and beside them what training set in a matrix."""
    canvas = Canvas(274)
    canvas.line((LEFT, FLOOR), (LEFT + 4 * UNIT, FLOOR), width=1)
    canvas.line((LEFT, FLOOR), (LEFT, FLOOR - 5.5 * UNIT), width=1)
    canvas.note(LEFT + 1.5 * UNIT, FLOOR + 38, "feature 1", "", "middle")
    canvas.note(4, 16, "feature 2", "")
    for i in range(1, 6):
        canvas.note(LEFT - 8, FLOOR - UNIT * i + 5, str(i), anchor="end")
        if i < 4:
            canvas.note(LEFT + UNIT * i, FLOOR + 18, str(i), anchor="middle")
    for (a, b), role in (*((row, "weight") for row in SEEN), (LATER, "query")):
        canvas.add("circle", cx=LEFT + UNIT * a, cy=FLOOR - UNIT * b, r=6, class_=f"head {role}")
    canvas.note(LEFT + 2 * UNIT, FLOOR - 14, "training", "weight", "middle")
    canvas.note(LEFT + UNIT + 12, FLOOR - 5 * UNIT + 5, "later: (1, 5)", "query")
    canvas.text(GRID + CELL, TOP - 44, "M", "bold")
    for i, row in enumerate(M):
        canvas.note(GRID - 10, TOP + 26 * i + 18, str(i + 1), anchor="end")
        canvas.note(GRID + (i + 0.5) * CELL, TOP - 8, str(i + 1), anchor="middle")
        for j, value in enumerate(row):
            trained = i == j == 0
            shown = value if trained else number(value)
            canvas.matrix(GRID + j * CELL, TOP + 26 * i, [[shown]], "weight" if trained else "", top=3, cell=CELL)
    canvas.note(GRID + CELL, TOP - 26, "feature of the key", anchor="middle")
    canvas.note(GRID - 34, TOP + 78, "blue: set by training", "weight")
    canvas.note(GRID - 34, TOP + 98, "others: as at the start", "")
    canvas.note(GRID - 34, TOP + 132, "scores of (1, 5) with", "")
    sums = []
    for i, key in enumerate(KEYS):
        y, first = TOP + 156 + 22 * i, M[0][0] * LATER[0] * key[0]
        canvas.note(GRID - 34, y, f"({key[0]}, {key[1]}):", "")
        canvas.note(GRID + 22, y, str(first), "weight")
        canvas.note(GRID + 36, y, f"− {first - score(key=key)} = {number(score(key=key))}", "")
        sums.append(f"{first} − {first - score(key=key)} = {number(score(key=key))} with ({key[0]}, {key[1]})")
    return canvas.finish(
        "A feature that training has not seen",
        "A plane of two features. The training rows, (1, 0), (2, 0) and (3, 0), are all on the axis of the first"
        " feature; a later row, (1, 5), is far off it. Beside it a matrix with the rows"
        f" {' and '.join(', '.join(map(number, row)) for row in M)}: only its first number, {number(M[0][0])}, was set"
        f" by training. The scores of (1, 5) are {' and '.join(sums)}; the first term of each is the trained part.",
    )
