"""What a row of cross-attention takes from each word that it reads, and where several models read."""

from collections.abc import Sequence

import numpy as np

from .kit import CELL, SMALL, Canvas, Drawing, number
from .things import SOURCE, THINGS

WORDS, WEIGHTS = ("ice", "cream"), (0.4, 0.6)  # of one trained model, its other weights are about 0
VALUES = ((5, 2, -6, -2), (-5, 6, 5, -4))  # (S, d_v), its points for THINGS, rounded
LEFT, RIGHT = 108, 288  # of the columns
STEP = 28  # from one column to the next in the grids of several models
EXAMPLES = np.array([[[0, 0, 1, 0, 0], [0, 0, 0, 0, 1]], [[0, 0, 0, 1, 0], [0, 0, 1, 0, 0]]])  # (models, 2, S)


def contributions(
    words: Sequence[str] = WORDS,
    weights: Sequence[float] = WEIGHTS,
    columns: Sequence[str] = THINGS,
    values: Sequence[Sequence[float]] = VALUES,
) -> Drawing:
    """Draw what a row takes from each of two words, its weight times its value, and the sum of both."""
    taken = np.array(weights)[:, None] * np.array(values)  # (2, d_v)
    canvas, wide = Canvas(290), (RIGHT - LEFT) / len(columns)
    canvas.note(76, 18, "weight", "weight", "middle")
    canvas.note((LEFT + RIGHT) / 2, 18, "values, in points", "value", "middle")
    for j, name in enumerate(columns):
        canvas.note(LEFT + (j + 0.5) * wide, 40 + 18 * (j % 2 if len(columns) > 2 else 1), name, "", "middle")
    for s, (word, weight, row) in enumerate(zip(words, weights, values, strict=True)):
        canvas.text(4, 84 + s * CELL, word, "", "start", SMALL)
        canvas.bar(76, 79 + s * CELL, weight, 46, number(weight))
        canvas.matrix(LEFT, 66 + s * CELL, [_light(row)], "value", top=8, cell=wide)
    low, said = 176, []
    canvas.line(((LEFT + RIGHT) / 2, 122), ((LEFT + RIGHT) / 2, 138), kind="value", width=2)
    canvas.note((LEFT + RIGHT) / 2, low - 14, "weight × value", "value", "middle")
    canvas.note(356, low - 14, "writes", "", "end")
    names = [f"{word} alone" for word in words] + ["together"]
    for i, (name, row) in enumerate(zip(names, [*taken, taken.sum(axis=0)], strict=True)):
        y, best = low + i * CELL + (10 if i == len(words) else 0), int(np.argmax(row))
        canvas.text(4, y + 18, name, "bold" if i == len(words) else "", "start", SMALL)
        for j, points in enumerate(row):
            canvas.matrix(LEFT + j * wide, y, [_light([points])], "value" if j == best else "", top=8, cell=wide)
        canvas.text(356, y + 18, columns[best], "bold", "end", SMALL)
        said.append(f"{name} ({', '.join(map(number, row))}), which writes {columns[best]}")
    given = "; ".join(
        f"{word}, weight {number(weight)}, value ({', '.join(map(number, row))})"
        for word, weight, row in zip(words, weights, values, strict=True)
    )
    return canvas.finish(
        "What a row takes from two words",
        f"The points for {', '.join(columns)}. {given}. Weight times value: {'; '.join(said)}.",
    )


def _light(row: Sequence[float]) -> list[float | str]:
    """Return numbers of which only the positive ones darken their cells."""
    return [float(points) if points > 0 else number(points) for points in row]


def several_models(weights: np.ndarray = EXAMPLES) -> Drawing:
    """Draw two grids, with a row for each model: the weights of the row of the thing and of the row of the end sign."""
    canvas, top = Canvas(92 + CELL * len(weights)), 86
    for side, title in enumerate(("writes glass", "writes <eos>")):
        left = 28 + side * (5 * STEP + 44)
        canvas.text(left + 2.5 * STEP, 16, title, "bold")
        for s, word in enumerate(SOURCE):
            x, y = left + (s + 0.5) * STEP, (42, 62)[s % 2]
            canvas.note(x, y, word, "key", "middle")
            canvas.line((x, y + 5), (x, top - 4), kind="key")
        for n, rows in enumerate(weights):
            shown = ["" if weight < 0.05 else float(weight.round(1)) for weight in rows[side]]
            canvas.note(left - 8, top + n * CELL + 18, f"{n}", "", "end")
            canvas.matrix(left, top + n * CELL, [shown], "weight", top=1, cell=STEP)
    ice = ", ".join(f"≈ {rows[0, 2]:.1f}" for rows in weights)
    end = ", ".join(f"≈ {rows[1, 4]:.1f}" for rows in weights)
    return canvas.finish(
        "Where several models read",
        "Two grids with a row for each model and a column for each word of Dan loves ice cream and the end sign. To"
        f" write glass, ice gets the weights {ice}, and cream the rest. To write the end sign, the English end sign"
        f" gets the weights {end}.",
    )
