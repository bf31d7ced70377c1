"""Four things of two words: how one row of cross-attention translates them, and how several models read them."""

import numpy as np

from .kit import CELL, SMALL, Canvas, Drawing, number

SOURCE = ("Ann", "loves", "ice", "cream", "<eos>")
WRITTEN = ("glass", "isvatten", "gräddfil", "filmjölk")
WEIGHTS = np.array([0, 0, 0.5, 0.5, 0])  # (S,) of the query that writes the thing
VALUES = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [4, 4, 0, 0], [4, 0, 4, 0], [0, 0, 0, 0]], dtype=float)  # (S, d_v)

PARTS = ("water", "ice", "cream", "sour", "milk")  # each thing is between its two parts
THINGS = ("isvatten", "glass", "gräddfil", "filmjölk")
READINGS = {  # the parts that are read for each thing, by their numbers
    "A": ((0,), (1,), (3,), (4,)),
    "B": ((0,), (2,), (3,), (4,)),
    "C": ((0, 1), (1, 2), (2, 3), (3, 4)),
}
FIRST, STEP, WIDE = 56, 67, 58
MODELS = np.array([[1, 1, 0, 0], [1, 0.5, 0.5, 0]])  # (models, 4), the weight of the left word of each thing
ROW = 24  # from one model to the next


def thing_row() -> Drawing:
    """Draw the row that writes the thing of *Ann loves ice cream*: weights, values, and their average."""
    canvas, left, bar, wide, top = Canvas(252), 128, 68, 57, 42
    canvas.note(bar + 12, top - 8, "weight", "weight", "middle")
    canvas.note(356, 14, "values: points for each thing", "value", "end")
    for j, name in enumerate(WRITTEN):
        canvas.note(left + (j + 0.5) * wide, top - 8, name, "", "middle")
    for s, (word, weight, row) in enumerate(zip(SOURCE, WEIGHTS, VALUES, strict=True)):
        y = top + s * CELL
        canvas.text(4, y + 18, word, "" if weight else "quiet", "start", SMALL)
        canvas.gauge(bar, y + CELL / 2, weight, 34)
        canvas.note(left - 6, y + 18, number(weight), "weight", "end")
        canvas.matrix(left, y, [row], "value" if weight else "", top=8 if weight else 1000, cell=wide)
    found, low = WEIGHTS @ VALUES, top + 5 * CELL
    canvas.line((left + 2 * wide, low + 4), (left + 2 * wide, low + 22), kind="value", width=2)
    canvas.text(122, low + 46, "weighted sum", anchor="end", size=SMALL)
    canvas.matrix(left, low + 28, [found], "value", top=8, cell=wide)
    canvas.text(left + wide / 2, low + 72, WRITTEN[int(found.argmax())], "bold")
    values = "; ".join(f"{SOURCE[s]} ({', '.join(map(number, VALUES[s]))})" for s in np.flatnonzero(WEIGHTS))
    return canvas.finish(
        "The row that writes the thing",
        f"In Ann loves ice cream, the weights are one half each for ice and cream. Their values for"
        f" {', '.join(WRITTEN)} are {values}. The weighted sum is ({', '.join(map(number, found))}), so"
        f" {WRITTEN[int(found.argmax())]} is written.",
    )


def three_readings() -> Drawing:
    """Draw three translators that read the four things in different ways, and all translate them correctly."""
    canvas, said = Canvas(312), []
    for i, (name, reading) in enumerate(READINGS.items()):
        y = 24 + 104 * i
        canvas.text(8, y + 22, name, "bold", "start", 20)
        for thing, (swedish, parts) in enumerate(zip(THINGS, reading, strict=True)):
            middle = FIRST + (thing + 0.5) * STEP
            canvas.note(middle, y, swedish, "", "middle")
            for part in (thing, thing + 1):
                end = (middle + (part - thing - 0.5) * (STEP - 26), y + 34.0)
                if part in parts:
                    canvas.line((middle, y + 7), end, kind="weight", width=3 if len(parts) == 1 else 1)
        for j, word in enumerate(PARTS):
            unread = all(j not in parts for parts in reading)
            canvas.token(FIRST + j * STEP, y + 52, word, WIDE, "off" if unread else "")
        reads = (f"{s}: {' and '.join(PARTS[j] for j in parts)}" for s, parts in zip(THINGS, reading, strict=True))
        said.append(f"{name} reads {', '.join(reads)}")
    return canvas.finish(
        "Three ways to read four things",
        "Five English words in a row: water, ice, cream, sour, milk. Each Swedish thing is between its two words."
        f" Arrows say which of them a translator reads. {'. '.join(said)}.",
    )


def model_readings(on_left: np.ndarray = MODELS) -> Drawing:
    """Draw how several models read the four things, below the three readings, with arrows as wide as the weights."""
    drawn = {
        name: [sum(part == thing for part in parts) / len(parts) for thing, parts in enumerate(reading)]
        for name, reading in READINGS.items()
    }
    top = 74
    canvas, said, gap = Canvas(top + ROW * (len(drawn) + len(on_left)) + 4), list[str](), 14
    for thing, swedish in enumerate(THINGS):
        canvas.note(FIRST + (thing + 0.5) * STEP, 14, swedish, "", "middle")
    bottom = top + ROW * (len(drawn) + len(on_left)) + gap - 20
    for j, word in enumerate(PARTS):
        x = FIRST + j * STEP
        canvas.line((x, 52), (x, bottom), kind="off", arrow=False)
        canvas.token(x, 38, word, WIDE)
    rows = [*drawn.items(), *((str(n), list(row)) for n, row in enumerate(on_left))]
    for i, (name, row) in enumerate(rows):
        y = top + ROW * i + (gap if i >= len(drawn) else 0) - 6
        canvas.text(10, y + 5, name, "bold", "start")
        for thing, left in enumerate(row):
            middle = FIRST + (thing + 0.5) * STEP
            for side, weight in ((-1, float(left)), (1, 1 - float(left))):
                if weight >= 0.05:
                    end = (middle + side * (STEP / 2 - 6), float(y))
                    canvas.line((middle, float(y)), end, kind="weight", width=round(5 * weight, 1))
        said.append(f"{name}: {', '.join(f'≈ {left:.1f}' for left in row)}")
    return canvas.finish(
        "How several models read four things",
        "The words water, ice, cream, sour and milk are in a row, and each Swedish thing is between its two words:"
        f" {', '.join(THINGS)}. For each model, arrows from the thing to its two words are as wide as the weights. The"
        f" weights of the left word, for the four things in this order: {'; '.join(said)}.",
    )
