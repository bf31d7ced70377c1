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
DECAY = 0.1  # what weight decay takes from a row in each step, as a fraction
WORDS, PAIR = ("ice", "cream"), np.array([[3.0, 0.0], [1.0, 2.0]])  # two rows of a tied table
TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])  # a matrix between its two uses
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


def pushed(decay: float = 0.0) -> np.ndarray:
    """Return where the pushes take the two rows, each of which first loses a fraction of itself, (2, 2).

    Example:
        >>> pushed().round(9).tolist(), pushed(0.1).round(2).tolist()
        ([[-2.0, -6.0], [-3.0, -5.0]], [[-0.92, -1.92], [-0.96, -1.87]])
    """
    rows = STARTS
    for _ in range(STEPS):
        rows = (1 - decay) * rows - PUSH
    return rows


def common_push() -> Drawing:
    """Draw two rows at a right angle, and where the same pushes take both of them, without and with weight decay."""
    canvas, y0, said = Canvas(298), 66, []
    for x0, name, decay in ((134, "pushes only", 0.0), (283, "with decay", DECAY)):
        ends = pushed(decay)

        def at(row: np.ndarray, x0: int = x0) -> tuple[float, float]:
            return x0 + UNIT * float(row[0]), y0 - UNIT * float(row[1])

        canvas.text(x0 - (44 if not decay else 0), 14, name, "bold")
        for start, end, kind in zip(STARTS, ends, ("layer", ""), strict=True):
            if not decay:
                canvas.line(at(start), at(end), arrow=False, kind="off")
            for row in (start, end):
                canvas.line((x0, y0), at(row), kind=kind, width=1.5)
        for row, dx, dy, anchor in (
            (STARTS[0], 8, 5, "start"),
            (STARTS[1], 8, 2, "start"),
            (ends[0], 6, 20 if not decay else 14, "middle" if not decay else "start"),
            (ends[1], -10, 20 if not decay else 4, "middle" if not decay else "end"),
        ):
            x, y = at(row)
            canvas.note(x + dx, y + dy, f"({number(float(row[0]))}, {number(float(row[1]))})", anchor=anchor)
        cosine = float(ends[0] @ ends[1]) / math.prod(math.hypot(*row) for row in ends)
        canvas.text(x0 - (44 if not decay else 0), 290, f"cosine {cosine:.{4 if decay else 2}f}", "bold")
        arrived = " and ".join(f"({number(a)}, {number(b)})" for a, b in ends.tolist())
        said.append(f"{name}: {arrived}, cosine {cosine:.{4 if decay else 2}f}")
    return canvas.finish(
        "Two rows that get the same pushes",
        f"Two arrows at a right angle, (1, 0) and (0, 1), after {STEPS} steps. {'; '.join(said)}. Without decay the new"
        " arrows are long and nearly parallel; with decay they are shorter and can hardly be told apart.",
    )


def between_uses() -> Drawing:
    """Draw the logits of two tokens after each of them, with nothing and with a matrix between the uses of a table."""
    canvas, said = Canvas(148), []
    for left, name, between in ((92, "nothing", np.eye(2)), (250, "a quarter turn", TURN)):
        logits = PAIR @ between @ PAIR.T
        canvas.text(left + 46, 18, name, "bold")
        for j, token in enumerate(WORDS):
            canvas.note(left + 23 + 46 * j, 50, token, anchor="middle")
            if between is not TURN:
                canvas.text(left - 8, 76 + CELL * j, f"after {token}", anchor="end", size=14)
        canvas.matrix(left, 58, logits, "layer", top=12, cell=46)
        itself = logits.argmax(axis=-1).tolist() == [0, 1]
        canvas.note(left + 46, 132, "each predicts itself" if itself else "both predict cream", "", "middle")
        said.append(
            f"with {name} between, "
            + ", ".join(
                f"after {word} the logits are {number(a)} for ice and {number(b)} for cream"
                for word, (a, b) in zip(WORDS, logits, strict=True)
            )
        )
    return canvas.finish("What is between the two uses of a tied table", f"Logits of two tokens: {'; '.join(said)}.")


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
        canvas.note(22, y + 86, f"cosine of two words with this position: {cosine(factor):.3f}", "")
        said.append(f"{name}: word {factor:.1f}, position 16, cosine of two words {cosine(factor):.3f}")
    return canvas.finish(
        "A word beside its position", f"Bars for lengths at the input, with d_model = {WIDTH}. {'; '.join(said)}."
    )
