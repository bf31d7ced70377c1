"""Four things of two words: how one row of cross-attention translates them, and how several models read them."""

import numpy as np

from .kit import CELL, SMALL, Canvas, Drawing, number

SOURCE = ("Ann", "loves", "ice", "cream", "<eos>")
WEIGHTS = np.array([0, 0, 0.5, 0.5, 0])  # (S,) of the query that writes the thing
VALUES = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [4, 4, 0, 0], [0, 4, 4, 0], [0, 0, 0, 0]], dtype=float)  # (S, d_v)

THINGS = ("isvatten", "glass", "gräddfil", "filmjölk")
PAIRS = (("water", "ice"), ("ice", "cream"), ("cream", "sour"), ("sour", "milk"))  # the words of THINGS, as a chain
MODELS = np.array([[[1, 0], [1, 0], [0, 1], [0, 1]], [[0.5, 0.5]] * 4])  # (models, 4, 2), weights of PAIRS


def thing_row() -> Drawing:
    """Draw the row that writes the thing of *Ann loves ice cream*: weights, values, and their average."""
    canvas, left, bar, wide, top = Canvas(252), 128, 68, 57, 42
    canvas.note(bar + 12, top - 8, "weight", "weight", "middle")
    canvas.note(356, 14, "values: points for each thing", "value", "end")
    for j, name in enumerate(THINGS):
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
    best = int(found.argmax())
    canvas.note(left + (best + 0.5) * wide - 26, low + 72, "writes", "", "end")
    canvas.text(left + (best + 0.5) * wide, low + 72, THINGS[best], "bold")
    values = "; ".join(f"{SOURCE[s]} ({', '.join(map(number, VALUES[s]))})" for s in np.flatnonzero(WEIGHTS))
    return canvas.finish(
        "The row that writes the thing",
        f"In Ann loves ice cream, the weights are one half each for ice and cream. Their values for"
        f" {', '.join(THINGS)} are {values}. The weighted sum is ({', '.join(map(number, found))}), so"
        f" {THINGS[best]} is written.",
    )


def several_models(weights: np.ndarray = MODELS) -> Drawing:
    """Draw a grid with a line for each model: the weights of the two words of each of the four things."""
    top, left, step, gap = 80, 46, 34, 14
    canvas, said = Canvas(top + CELL * len(weights) + 4), list[str]()
    canvas.note(0, 32, "model", "")
    for thing, (swedish, pair) in enumerate(zip(THINGS, PAIRS, strict=True)):
        x = left + thing * (2 * step + gap)
        canvas.note(x + step, 14, "writes", anchor="middle")
        canvas.text(x + step, 32, swedish, "bold", size=SMALL)
        for j, word in enumerate(pair):
            canvas.note(x + (j + 0.5) * step, (54, 72)[j], word, "key", "middle")
        for n, row in enumerate(weights):
            shown = ["" if weight < 0.05 else float(weight.round(1)) for weight in row[thing]]
            canvas.matrix(x, top + n * CELL, [shown], "weight", top=1.6, cell=step)
    for n, row in enumerate(weights):
        canvas.note(left - 8, top + n * CELL + 18, f"{n}", "", "end")
        named = (
            f"{swedish}, {' and '.join(f'{word} ≈ {weight:.1f}' for word, weight in zip(pair, two, strict=True))}"
            for swedish, pair, two in zip(THINGS, PAIRS, row, strict=True)
        )
        said.append(f"model {n}: {'; '.join(named)}")
    return canvas.finish(
        "How several models read four things",
        "A grid with a line for each model, and two columns for each Swedish thing, one for each of its two English"
        f" words. The weights of the words: {'. '.join(said)}.",
    )
