"""Two ways in which the formula of the softmax ends in nan, each beside its cure, in the numbers of one row."""

import numpy as np

from .kit import Canvas, Drawing, number

CELL, GAP, LEFT = 42, 20, 2  # the width of a cell, the room for an arrow, and the margin

ROWS = {
    "1. A large score": ((120, 0), "subtract the maximum, 120"),
    "2. Only very low scores": ((-200, -200), "subtract the maximum, −200"),
}
WRONG = (1, 2)  # the step of each formula that goes wrong: an infinite power, or a sum of 0


def steps() -> dict[str, tuple[list[np.ndarray], list[np.ndarray]]]:
    """Return for each row of scores the numbers that the formula goes through, and those with the cure."""
    found = {}
    for name, (values, _) in ROWS.items():
        scores = np.array(values, dtype=np.float32)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            powers = np.exp(scores)
            naive = [scores, powers, powers.sum(keepdims=True), powers / powers.sum()]
            shifted = scores - scores.max()
            powers = np.exp(shifted)
            total = powers.sum(keepdims=True)
        found[name] = naive, [shifted, powers, total, powers / total]
    return found


def accidents() -> Drawing:
    """Draw two rows of scores for which the formula ends in nan, and below each the same row with its cure."""
    canvas, said = Canvas(280), []
    for i, (name, (naive, cured)) in enumerate(steps().items()):
        top, cure = 20 + 140 * i, ROWS[name][1]
        canvas.text(LEFT, top, name, "bold", "start")
        widths = [CELL * len(row) for row in naive]
        places = [LEFT + sum(widths[:j]) + GAP * j + widths[j] / 2 for j in range(len(widths))]
        for x, words in zip(places, ("scores", "exp", "sum", "exp ÷ sum"), strict=True):
            canvas.note(x, top + 20, words, anchor="middle")
        for y, rows in ((top + 42, naive), (top + 96, cured)):
            for j, (x, row) in enumerate(zip(places, rows, strict=True)):
                canvas.vector(x, y, [_short(value) for value in row], "weight", cell=CELL)
                if rows is naive and j == WRONG[i]:  # its first cell
                    left = x - widths[j] / 2
                    canvas.add("rect", x=left, y=y - 13, width=CELL, height=26, class_="token lit", fill_opacity=0)
                if j:
                    left = x - widths[j] / 2
                    canvas.line((left - GAP + 4, y), (left - 6, y))
        canvas.note(LEFT, top + 77, f"cure: {cure}", "")
        both = [" then ".join(", ".join(map(_short, row)) for row in rows) for rows in (naive, cured)]
        said.append(f"{name[3:]}: {both[0]}; cure, {cure}: {both[1]}")
    return canvas.finish("Two failures and their cure", f"Rows of numbers, step by step. {'. '.join(said)}.")


def _short(value: float) -> str:
    """Return a number as it is drawn: whole, one half, infinite, or not a number."""
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return number(float(value))
