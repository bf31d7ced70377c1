"""A small embedding table: picking a row by a one-hot vector, its rows as arrows, and an LM head that reads one."""

import math

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

TOKENS = ("cream", "Dan", "ice", "loves", "Sara")  # their ids are 0 to 4
TABLE = np.array([[-2.0, 0.0], [4.0, 3.0], [-4.0, 3.0], [0.0, -2.0], [6.0, 8.0]])  # (vocab_size, d_model)
HEAD = np.array([[-0.5, 0.0, 0.0, 0.5, 0.0], [0.0, 0.0, -1.0, 0.0, 0.0]])  # (d_model, vocab_size)
IDS = np.array([1, 3, 2])  # Dan loves ice
SHOWN = 1  # the id of the token whose row is followed
WIDE = 34  # of a cell of the table
UNIT = 20  # pixels of length 1
FLAT = 1000  # as the darkest number, it leaves all cells light: only the selected ones have a color


def one_hot() -> Drawing:
    """Draw the one-hot vectors of three tokens times the table, with the row of one of them highlighted."""
    one_hot, x = F.one_hot(IDS, len(TOKENS)), F.embed(IDS, TABLE)  # (T, vocab_size), (T, d_model)
    canvas, left, right, top, low = Canvas(306), 64, 262, 26, 196
    canvas.note(right + WIDE, 18, "table E (5, 2)", anchor="middle")
    for v, (token, row) in enumerate(zip(TOKENS, TABLE, strict=True)):
        y, role = top + v * CELL, "layer" if v == SHOWN else ""
        canvas.matrix(right, y, [row], role, top=8 if role else FLAT, cell=WIDE)
        canvas.text(right - 8, y + 18, f"{v}  {token}", "bold" if role else "", "end")
        canvas.note(left + (v + 0.5) * CELL, low - 6, str(v), anchor="middle")
    for t, i in enumerate(IDS):
        y, role = low + t * CELL, "layer" if i == SHOWN else ""
        canvas.text(left - 8, y + 18, TOKENS[i], "bold" if role else "", "end")
        canvas.matrix(left, y, [one_hot[t]], role, top=2)
        canvas.matrix(right, y, [x[t]], role, top=8 if role else FLAT, cell=WIDE)
    for words, middle in (("O (3, 5)", left + 2.5 * CELL), ("X = OE (3, 2)", right + WIDE)):
        canvas.note(middle, low + 3 * CELL + 18, words, anchor="middle")
    row, last = top + (SHOWN + 0.5) * CELL, low + (np.flatnonzero(IDS == SHOWN)[0] + 0.5) * CELL
    column, edge = left + (SHOWN + 0.5) * CELL, right + 2 * WIDE
    canvas.line((column, low - 20), (column, row), (right - 62, row), kind="layer")
    canvas.line((edge + 2, row), (edge + 20, row), (edge + 20, float(last)), (edge + 3, float(last)), kind="layer")
    canvas.note(8, 40, "The 1 in column 1")
    canvas.note(8, 57, "picks row 1 of the table.")
    return canvas.finish(
        "One-hot vectors times the table",
        "The tokens Dan, loves and ice are rows of a matrix O with five columns. In the row of Dan the only 1 is in "
        "column 1. An arrow leads from it to row 1 of the table E, which is (4, 3), and from there to the row of Dan "
        "in the product X.",
    )


def similarity() -> Drawing:
    """Draw the rows of the table as arrows, and name the cosines of three pairs."""
    canvas, x0, y0 = Canvas(284), 104, 196
    canvas.add("path", d=f"M4 {y0}H250M{x0} 8V262", class_="off")
    for i in (-4, -2, 2, 4, 6, 8):
        ticks = f"M{x0 - 3} {y0 - UNIT * i}h6" if i != -4 else ""  # the lower end of the axis is at -3
        canvas.add("path", d=f"M{x0 + UNIT * i} {y0 - 3}v6" * (i < 8) + ticks, class_="off")
        if i in (-4, 4):
            canvas.note(x0 + UNIT * i, y0 + (18 if i > 0 else -8), number(i), anchor="middle")
        if i in (4, 8):
            canvas.note(x0 - 7, y0 - UNIT * i + 5, number(i), anchor="end")
    a, b = (np.array([x, -y]) / math.hypot(x, y) * 14 for x, y in (TABLE[4], TABLE[2]))  # Sara and ice
    (left, top), (middle, peak), (right, low) = (np.array([x0, y0]) + step for step in (a, a + b, b))
    canvas.add("path", d=f"M{left:.1f} {top:.1f}L{middle:.1f} {peak:.1f}L{right:.1f} {low:.1f}", class_="line")
    for token, (a, b) in zip(TOKENS, TABLE, strict=True):
        role = "layer" if token in ("Dan", "Sara") else ""
        canvas.line((x0, y0), (x0 + UNIT * a, y0 - UNIT * b), kind=role, width=2)
        below = token in ("cream", "loves")
        canvas.text(
            x0 + UNIT * a + (10 if a >= 0 else -6),
            y0 - UNIT * b + (22 if below else -8),
            token,
            "",
            "start" if a >= 0 else "middle",
        )
    _angle(canvas, x0, y0, "Dan", "Sara", 56)
    for i, (one, other) in enumerate((("Dan", "Sara"), ("Sara", "ice"), ("Dan", "ice"))):
        a, b = (TABLE[TOKENS.index(token)] for token in (one, other))
        cosine = float(a @ b) / math.hypot(*a) / math.hypot(*b)
        canvas.text(352, 236 + 20 * i, f"{one}, {other}: {number(cosine)}", "bold" if i == 0 else "", "end")
    canvas.note(352, 216, "cosine", anchor="end")
    return canvas.finish(
        "The rows of the table as arrows",
        "The arrows of Dan and Sara have different lengths and nearly the same direction: their cosine is 0.96. The "
        "arrow of ice is at a right angle to that of Sara, cosine 0, and further still from that of Dan, cosine −0.28.",
    )


def lm_head() -> Drawing:
    """Draw how the vector of one token becomes a logit, and then a probability, for each next token."""
    x, left, column = TABLE[SHOWN], 104, 50
    logits = x @ HEAD  # (vocab_size,)
    canvas, middle = Canvas(262), left + 2.5 * column
    for v, token in enumerate(TOKENS):
        chosen = token == "loves"
        canvas.text(left + (v + 0.5) * column, 20, token, "bold" if chosen else "")
        for y, rows, top in ((34, HEAD[:, v], 1), (141, logits[[v]], 5)):
            numbers = [[float(value)] for value in rows]
            role = "layer" if chosen else ""
            canvas.matrix(left + v * column, y, numbers, role, cell=column, top=top if chosen else FLAT)
    canvas.text(40, 38, TOKENS[SHOWN], "bold")
    canvas.matrix(14, 47, [x], "layer", top=8)
    canvas.text(85, 66, "·", "bold")
    canvas.note(middle, 106, "head W (2, 5): a column for each token", anchor="middle")
    for v in range(len(TOKENS)):
        canvas.line((left + (v + 0.5) * column, 114), (left + (v + 0.5) * column, 138))
    canvas.note(4, 158, "logits z")
    canvas.note(4, 188, "softmax")
    for v, p in enumerate(F.softmax(logits)):
        canvas.line((left + (v + 0.5) * column, 171), (left + (v + 0.5) * column, 195))
        canvas.bar(left + (v + 0.5) * column, 212, float(p), column - 6)
    canvas.note(middle, 250, "how likely each token is to be next", anchor="middle")
    return canvas.finish(
        "The LM head at work",
        "The vector of Dan, (4, 3), meets a matrix with a column for each of five tokens. The dot product with the "
        "column of loves, (0.5, 0), is 2; those of cream and ice are −2 and −3, and the other two are 0. The softmax "
        "turns them into the probabilities 0.01, 0.10, 0.01, 0.77 and 0.10.",
    )


def _angle(canvas: Canvas, x0: float, y0: float, one: str, other: str, radius: float) -> None:
    """Draw the angle between the arrows of two tokens."""
    ends = []
    for token in (one, other):
        a, b = TABLE[TOKENS.index(token)]
        ends.append(f"{x0 + radius * a / math.hypot(a, b):.1f} {y0 - radius * b / math.hypot(a, b):.1f}")
    canvas.add("path", d=f"M{ends[0]}A{radius} {radius} 0 0 0 {ends[1]}", class_="line layer")
