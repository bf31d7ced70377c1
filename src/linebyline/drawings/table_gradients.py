"""Gradients of an embedding table: looked-up rows, both uses of a tied table, unread rows, lengths at the input."""

import math
from collections.abc import Sequence

import numpy as np

from .kit import CELL, Canvas, Drawing, number

TOKENS = ("cream", "Dan", "helps", "ice", "tea")  # their ids are 0 to 4
FEATURE = (1.0, 4.0, -2.0, 3.0, 5.0)  # one feature of each row
IDS, D_X = (1, 2, 1), (0.5, 0.2, -0.4)  # Dan helps Dan, and a gradient at each position
TIED = ("Dan", "helps", "ice")
PROBABILITIES, RIGHT, HIDDEN = np.array([0.7, 0.2, 0.1]), 1, np.array([1.0, 2.0])
READ, D_READ = 0, np.array([0.2, -0.4])  # the token that was read, and the gradient at its vector
WIDTH, POSITION = 512, 16.0  # d_model, and the length of a sinusoidal encoding
STARTS, PUSH, STEPS = np.eye(2), np.array([0.1, 0.2]), 30  # two unread rows, and what each step subtracts from both
WIDE, UNIT = 50, 30


def row_gradients() -> np.ndarray:
    """Add the gradient at each position to the row of its token, (vocab_size,).

    Example:
        >>> row_gradients().round(9).tolist()
        [0.0, 0.1, 0.2, 0.0, 0.0]
    """
    rows = np.zeros(len(TOKENS))
    np.add.at(rows, list(IDS), D_X)
    return rows


def two_uses() -> tuple[np.ndarray, np.ndarray]:
    """Return the gradients of a tied table of three rows, through the look-up and through the output, (3, 2) each."""
    looked_up = np.zeros((3, 2))
    looked_up[READ] = D_READ
    return looked_up, np.outer(PROBABILITIES - np.eye(3)[RIGHT], HIDDEN)


def cosine(factor: float) -> float:
    """Return the cosine of two words at one position, whose rows have length 1 and are orthogonal, as is the position.

    Example:
        >>> round(cosine(1), 3), round(cosine(math.sqrt(512)), 3)
        (0.996, 0.333)
    """
    return POSITION**2 / (POSITION**2 + factor**2)


def table_gradients() -> Drawing:
    """Draw three tokens that take rows of a table, and below it three gradients that are added to these rows."""
    canvas = Canvas(366)
    panels: list[tuple[str, Sequence[float], Sequence[float]]] = [
        ("forward: each token takes its row", FEATURE, [FEATURE[i] for i in IDS]),
        ("backward: each gradient goes to that row", row_gradients().tolist(), D_X),
    ]
    for panel, (title, table, found) in enumerate(panels):
        top = 44 + 188 * panel
        canvas.text(4, top - 26, title, "bold", "start")
        for v, (token, value) in enumerate(zip(TOKENS, table, strict=True)):
            role = "layer" if v in IDS else ""
            canvas.matrix(66, top + v * CELL, [[float(value)]], role, top=8 if role else 1000, cell=WIDE)
            canvas.text(60, top + v * CELL + 18, token, "" if role else "quiet", "end")
        for t, (i, value) in enumerate(zip(IDS, found, strict=True)):
            row, y = top + (i + 0.5) * CELL, top + 20 + 45 * t
            ends = [(66 + WIDE + 4.0, row + (5 * (t - 1) if i == 1 else 0)), (206.0, float(y))]
            canvas.line(*(ends[::-1] if panel else ends), kind="layer", width=2)
            canvas.matrix(212, y - CELL / 2, [[float(value)]], "layer", top=8, cell=WIDE)
            canvas.text(212 + WIDE + 10, y + 5, TOKENS[i], anchor="start")
            canvas.note(356, y + 5, f"at {t}", anchor="end")
    sums = "; ".join(f"{token} {number(float(g))}" for token, g in zip(TOKENS, row_gradients(), strict=True))
    return canvas.finish(
        "Forward and backward through a table",
        "Forward, the tokens Dan, helps, Dan take rows 1, 2 and 1 of a table with five rows. Backward, the gradients"
        f" {', '.join(map(number, D_X))} at the three positions are added to the same rows, so that the rows have the"
        f" gradients {sums}.",
    )


def tied_gradients() -> Drawing:
    """Draw the gradient of a tied table as a sum: one row through the look-up, and every row through the output."""
    looked_up, output = two_uses()
    canvas, lefts, top = Canvas(168), (56, 166, 276), 44
    for left, words, signs in zip(lefts, ("look-up", "output", "both"), ("+", "=", ""), strict=True):
        canvas.text(left + 40, 18, words, "bold")
        if signs:
            canvas.text(left + 95, top + 1.5 * CELL + 5, signs, "bold")
    for left, grid in zip(lefts, (looked_up, output, looked_up + output), strict=True):
        for v, row in enumerate(grid):
            on = bool(row.any())
            canvas.matrix(left, top + v * CELL, [row], "layer" if on else "", top=3 if on else 1000, cell=40)
    for v, token in enumerate(TIED):
        canvas.text(50, top + v * CELL + 18, token, "bold" if v == RIGHT else "", "end")
    remarks: Sequence[str] = ("the token read", "every token", "")
    for left, words in zip(lefts, remarks, strict=True):
        canvas.note(left + 40, top + 3 * CELL + 20, words, anchor="middle")
    canvas.note(4, top + 3 * CELL + 40, "bold: the token that was right", "")
    rows = "; ".join(
        f"{token} {' plus '.join(f'({number(a)}, {number(b)})' for a, b in (looked_up[v], output[v]))}"
        for v, token in enumerate(TIED)
    )
    return canvas.finish(
        "Two gradients of a tied table",
        f"The gradients of three rows, through the look-up plus through the output: {rows}. Only the token that was"
        " read has a gradient through the look-up; through the output every row has one.",
    )


def common_push() -> Drawing:
    """Draw two rows at a right angle, and where the same pushes take both of them."""
    canvas, x0, y0 = Canvas(262), 166, 56
    ends = STARTS - STEPS * PUSH
    canvas.add("path", d=f"M56 {y0}H230M{x0} 10V180", class_="off")

    def at(row: np.ndarray) -> tuple[float, float]:
        return x0 + UNIT * float(row[0]), y0 - UNIT * float(row[1])

    said = []
    for start, end in zip(STARTS, ends, strict=True):
        canvas.line(at(start), at(end), arrow=False)
        for row in (start, end):
            canvas.line((x0, y0), at(row), kind="layer", width=2)
        said.append(f"one from ({number(start[0])}, {number(start[1])}) to ({number(end[0])}, {number(end[1])})")
    (a, b), (c, d) = (at(row) for row in STARTS)
    canvas.note(a + 6, b - 8, "(1, 0)")
    canvas.note(c + 8, d + 4, "(0, 1)")
    for row, dx, anchor in zip(ends, (8, -6), ("start", "end"), strict=True):
        x, y = at(row)
        canvas.note(x + dx, y + 14, f"({number(row[0])}, {number(row[1])})", anchor=anchor)
    cosine = float(ends[0] @ ends[1]) / math.prod(math.hypot(*row) for row in ends)
    for i, words in enumerate(("at the start", "cosine 0", "", f"after {STEPS} pushes", f"cosine {number(cosine)}")):
        canvas.text(356, 110 + 20 * i, words, "bold" if "cosine" in words else "", "end")
    return canvas.finish(
        "Two rows that get the same pushes",
        f"Two arrows at a right angle are moved by the same long way, {' and '.join(said)}. The new arrows are"
        f" long and nearly parallel: their cosine is {number(cosine)}.",
    )


def row_lengths() -> Drawing:
    """Draw the length of a word's row beside that of the position added to it, without and with the factor."""
    canvas, said = Canvas(224), []
    for y, name, factor in ((20, "the row as it is", 1.0), (132, "the row times √512", math.sqrt(WIDTH))):
        canvas.text(4, y, name, "bold", "start")
        for i, (what, length, role) in enumerate((("word", factor, "layer"), ("position", POSITION, ""))):
            middle = y + 28 + 28 * i
            canvas.text(66, middle + 5, what, anchor="end")
            kind = f"cell {role}".strip()
            canvas.add("rect", x=74, y=middle - 9, width=10.0 * length, height=18, class_=kind, fill_opacity=0.5)
            canvas.text(80 + 10.0 * length, middle + 5, f"{length:.1f}".removesuffix(".0"), anchor="start")
        canvas.note(22, y + 86, f"cosine of two words with this position: {cosine(factor):.2f}", "")
        said.append(f"{name}: word {factor:.1f}, position 16, cosine of two words {cosine(factor):.2f}")
    return canvas.finish(
        "A word beside its position", f"Bars for lengths at the input, with d_model = {WIDTH}. {'; '.join(said)}."
    )
