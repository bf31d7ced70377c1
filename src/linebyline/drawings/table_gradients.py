"""Gradients of an embedding table: looked-up rows, both uses of a tied table, and two unread rows."""

import math
from collections.abc import Sequence

import numpy as np

from .kit import CELL, Canvas, Drawing, number

TOKENS = ("cream", "Dan", "helps", "ice", "tea")  # their ids are 0 to 4
FEATURE = (1.0, 4.0, -2.0, 3.0, 5.0)  # one feature of each row
IDS, D_X = (1, 2, 1), (0.5, 0.2, -0.4)  # Dan helps Dan, and a gradient at each position
TIED, READ, RIGHT = ("Dan", "helps", "ice"), 0, 1  # the token that was read, and the target
ROWS, BETWEEN = np.array([[0.0, 1.0], [0.7, 0.0], [1.0, -0.5]]), np.array([[1.0, 0.0], [1.0, 2.0]])
HIDDEN, PROBABILITIES = ROWS[READ] @ BETWEEN, np.array([0.7, 0.2, 0.1])  # the softmax of the logits, rounded
D_LOGITS = PROBABILITIES - np.eye(3)[RIGHT]
STARTS, PUSHED_BY = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, 2.0])  # two unread rows, and h
P, STEPS, DECAY = 0.1, 30, 0.1  # the probability of each; what weight decay takes from a row in each step, a fraction
WIDE = 50


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
    """Return the gradients of a tied table of three rows, through the look-up and through the output, (3, 2) each.

    Example:
        >>> two_uses()[0].round(2)[READ].tolist()
        [-0.46, 0.84]
    """
    looked_up = np.zeros((3, 2))
    looked_up[READ] = D_LOGITS @ ROWS @ BETWEEN.T
    return looked_up, np.outer(D_LOGITS, HIDDEN)


def table_gradients() -> Drawing:
    """Draw three tokens that take rows of a table, and below it three gradients that are added to these rows."""
    canvas = Canvas(366)
    panels: list[tuple[str, Sequence[float], Sequence[float]]] = [
        ("forward: tokens take their rows", FEATURE, [FEATURE[i] for i in IDS]),
        ("backward: gradients go to their rows", row_gradients().tolist(), D_X),
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


def tied_model() -> Drawing:
    """Draw a model of one matrix between the two uses of its table, forward and backward."""
    canvas = Canvas(574)
    (looked_up, output), d_hidden = two_uses(), D_LOGITS @ ROWS
    logits = (HIDDEN @ ROWS.T).round(9)
    tops = [48 + 144 * block for block in range(4)]
    names = (
        ("forward, first use: look up Dan", "the table", "M", "h"),
        ("forward, second use: times h = (1, 2)", "the same table", "logits", "probabilities"),
        ("backward, through the output", "gradient of the table", "", "of the logits"),
        ("backward, through the look-up", "gradient of the table", "", "of the logits"),
    )
    for block, (top, (title, *heads)) in enumerate(zip(tops, names, strict=True)):
        canvas.text(4, top - 26, title, "bold", "start")
        for x, name in zip((102, 217, 313), heads, strict=True):
            canvas.note(x, top - 6 + (CELL if name == "h" else 0), name, anchor="middle")
        grid = (ROWS, ROWS, output, looked_up)[block]
        for v, token in enumerate(TIED):
            y, used = top + v * CELL, v == READ or block in (1, 2)
            canvas.text(50, y + 18, token, "" if used else "quiet", "end")
            canvas.matrix(56, y, [grid[v].tolist()], "layer" if used else "", top=3 if used else 1000, cell=46)
            if block in (1, 2):
                ends = [(152.0, y + CELL / 2), (190.0 if block == 1 else 286.0, y + CELL / 2)]
                canvas.line(*(ends if block == 1 else ends[::-1]), width=1)
            if block == 2:
                canvas.note(219, y + CELL / 2 - 6, "times (1, 2)", anchor="middle")
            if block == 1:
                canvas.matrix(194, y, [[float(logits[v])]], "", top=3, cell=46)
                canvas.line((244, y + CELL / 2), (286, y + CELL / 2), width=1)
            if block:
                right = (PROBABILITIES if block == 1 else D_LOGITS)[v]
                canvas.matrix(290, y, [[float(right)]], "weight", top=3, cell=46)
    top = tops[0]
    canvas.line((152, top + CELL / 2), (190, top + CELL), kind="layer", width=2)
    for n, row in enumerate(BETWEEN.tolist()):  # Dan, (0, 1), picks the second row
        canvas.matrix(194, top + n * CELL, [row], "layer" if ROWS[READ][n] else "", top=8, cell=23)
    canvas.line((244, top + 1.5 * CELL), (282, top + 1.5 * CELL), kind="layer", width=2)
    canvas.matrix(286, top + CELL, [HIDDEN.tolist()], "layer", top=3, cell=30)
    top = tops[3]
    canvas.note(219, top + 4, "of h", anchor="middle")
    canvas.matrix(173, top + CELL - 16, [d_hidden.round(9).tolist()], "layer", top=3, cell=48)
    for v in range(3):
        canvas.line((286, top + (v + 0.5) * CELL), (272, top + CELL - 3 + 8 * (v - 1)), width=1)
    canvas.note(268, top + 3 * CELL + 14, "times the rows", anchor="middle")
    canvas.line((170, top + CELL - 3), (152, top + 0.5 * CELL), kind="layer", width=2)
    canvas.note(162, top + 2 * CELL + 4, "times M,", anchor="start")
    canvas.note(162, top + 2 * CELL + 20, "transposed", anchor="start")
    x, y = looked_up[READ]
    return canvas.finish(
        "A model with a tied table, forward and backward",
        "Forward, the row of Dan, (0, 1), times M is h, (1, 2). The dot products of h with the three rows of the same"
        f" table are the logits {', '.join(number(float(z)) for z in logits)}, and the softmax makes them the"
        f" probabilities {', '.join(number(float(p)) for p in PROBABILITIES)}. Backward, the gradients of"
        f" the logits {', '.join(number(float(d)) for d in D_LOGITS)}, times h, are the gradients of all rows through"
        " the output. Times the rows and added up, they are the gradient"
        f" of h, ({number(float(d_hidden[0]))}, {number(float(d_hidden[1]))}), and that of the row of Dan,"
        f" ({number(float(x))}, {number(float(y))}), is that times M transposed. The other rows have the gradient 0.",
    )


def pushed(decay: float = 0.0, steps: int = STEPS) -> np.ndarray:
    """Return where the pushes take the two rows, each of which first loses a fraction of itself, (2, 2).

    Example:
        >>> pushed().round(9).tolist(), pushed(0.1).round(2).tolist()
        ([[-1.0, -6.0], [-3.0, -5.0]], [[-0.87, -1.92], [-0.96, -1.87]])
    """
    rows = STARTS
    for _ in range(steps):
        rows = (1 - decay) * rows - P * PUSHED_BY
    return rows


def common_push() -> Drawing:
    """Draw two rows at a right angle, and where the same pushes take both of them, without and with weight decay."""
    canvas, said = Canvas(340), []
    panels = ((98, 96, 26, "pushes only", 0.0), (248, 150, 48, "with weight decay", DECAY))
    for x0, y0, unit, title, decay in panels:
        ends = pushed(decay)

        def at(row: np.ndarray, x0: int = x0, y0: int = y0, unit: int = unit) -> tuple[float, float]:
            return x0 + unit * float(row[0]), y0 - unit * float(row[1])

        middle = 280 if decay else 86
        canvas.text(middle, 14, title, "bold")
        canvas.line((x0, y0), at(-(1.25 if decay else 2.2) * PUSHED_BY), arrow=False, kind="off")
        canvas.line((x0, y0), at(PUSHED_BY), kind="weight", width=1.5)
        canvas.text(at(PUSHED_BY)[0] + 8, at(PUSHED_BY)[1] + 8, "h", "weight", "start")
        for pair in (STARTS, ends):
            canvas.line(at(pair[0]), at(pair[1]), arrow=False, width=1)
        for n, kind in enumerate(("layer", "")):
            canvas.line((x0, y0), at(STARTS[n]), kind=kind, width=1.5)
            for steps in range(5, STEPS, 5):
                x, y = at(pushed(decay, steps)[n])
                canvas.add("circle", cx=x, cy=y, r=2.5, class_=f"head {kind}".strip())
            canvas.line((x0, y0), at(ends[n]), kind=kind, width=1.5)
        for name, row, dx, dy, anchor in (
            ("a", STARTS[0], 0 if decay else 6, 20, "end" if decay else "middle"),
            ("b", STARTS[1], -6, 4, "end"),
            ("a", ends[0], 8 if decay else 6, 14 if decay else 18, "start"),
            ("b", ends[1], 11 if decay else -18, 34 if decay else 40, "start"),
        ):
            x, y = at(row)
            canvas.note(x + dx, y + dy, f"{name} ({number(float(row[0]))}, {number(float(row[1]))})", "", anchor)
        canvas.line((middle - 30 - unit / 2, 304), (middle - 30 + unit / 2, 304), arrow=False, width=3)
        canvas.note(middle - 24 + unit / 2, 308, "length 1")
        cosine = float(ends[0] @ ends[1]) / math.prod(math.hypot(*row) for row in ends)
        canvas.text(middle, 332, f"cosine {cosine:.{3 if decay else 2}f}", "bold")
        arrived = " and ".join(f"({number(a)}, {number(b)})" for a, b in ends.tolist())
        said.append(f"{title}: {arrived}, cosine {cosine:.{3 if decay else 2}f}")
    return canvas.finish(
        "Two rows that get the same pushes",
        "Two arrows at a right angle, a at (2, 0) and b at (0, 1), and the vector h, (1, 2)."
        f" After {STEPS} steps they point almost opposite to h. {'; '.join(said)}. A thin"
        " line joins the tips at the start and at the end: without decay it keeps its length, and with decay it can"
        " hardly be seen. The right part is drawn larger.",
    )
