"""What a row of cross-attention takes from each word that it reads, and what it writes without one of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .kit import CELL, SMALL, Canvas, Drawing, number
from .things import THINGS

WORDS, WEIGHTS = ("ice", "cream"), (0.4, 0.6)  # of one trained model, its other weights are about 0
VALUES = ((5, 2, -6, -2), (-5, 6, 5, -4))  # (S, d_v), its points for THINGS, rounded
LEFT, RIGHT = 90, 294  # of the columns


def contributions(
    words: Sequence[str] = WORDS,
    weights: Sequence[float] = WEIGHTS,
    columns: Sequence[str] = THINGS,
    values: Sequence[Sequence[float]] = VALUES,
    *,
    hide: bool = False,
) -> Drawing:
    """Draw the values of two words, what a row takes from each, its weight times the value, and the sum of both.

    With ``hide``, the drawing ends with what the row writes when one of the words is hidden and the other has all of
    the weight.
    """
    taken = np.array(weights)[:, None] * np.array(values)  # (2, d_v)
    canvas, wide, middle = Canvas(386 if hide else 290), (RIGHT - LEFT) / len(columns), (LEFT + RIGHT) / 2
    canvas.note(4, 60, "weight", "weight")
    canvas.note(middle, 16 if len(columns) > 2 else 38, "values, in points", "value", "middle")
    for j, name in enumerate(columns):  # long names take turns on two lines
        canvas.note(LEFT + (j + 0.5) * wide, 42 if len(columns) > 2 and j % 2 else 60, name, "", "middle")
    for s, (word, weight, row) in enumerate(zip(words, weights, values, strict=True)):
        y = 68 + s * CELL
        canvas.text(4, y + 18, word, "", "start", SMALL)
        canvas.text(LEFT - 8, y + 18, number(weight), "weight", "end", SMALL)
        _points(canvas, y, row, wide)
    low = 176
    canvas.line((middle, 124), (middle, 142), kind="value", width=2)
    canvas.note(middle, low - 12, "weight × value", "value", "middle")
    canvas.note(356, low - 12, "writes", "", "end")
    names, said = [f"from {word}" for word in words] + ["together"], []
    for i, (name, row) in enumerate(zip(names, [*taken, taken.sum(axis=0)], strict=True)):
        last = i == len(words)
        y = low + i * CELL + (10 if last else 0)
        canvas.text(4, y + 18, name, "bold" if last else "", "start", SMALL)
        _points(canvas, y, row, wide, outlined=last)
        said.append(f"{name} ({', '.join(map(number, row))})")
        if last:
            canvas.text(356, y + 18, columns[int(np.argmax(row))], "bold", "end", SMALL)
    without = []
    for s, row in enumerate(values if hide else ()):  # the other word is hidden
        y = 322 + s * CELL
        canvas.text(4, y + 18, f"hide {words[1 - s]}", "", "start", SMALL)
        _points(canvas, y, row, wide, outlined=True)
        canvas.text(356, y + 18, columns[int(np.argmax(row))], "", "end", SMALL)
        without.append(
            f"Without {words[1 - s]}, the points are those of {words[s]}, and {columns[int(np.argmax(row))]}"
        )
    if hide:
        canvas.note(middle, 310, "one word hidden: the value of the other", "value", "middle")
    given = "; ".join(
        f"{word}, weight {number(weight)}, value ({', '.join(map(number, row))})"
        for word, weight, row in zip(words, weights, values, strict=True)
    )
    best = columns[int(np.argmax(taken.sum(axis=0)))]
    return canvas.finish(
        "What a row takes from two words",
        f"The points for {', '.join(columns)}. {given}. Weight times value: {'; '.join(said)}, which writes {best}."
        + "".join(f" {sentence} is written." for sentence in without),
    )


def _points(canvas: Canvas, y: float, row: Sequence[float], wide: float, *, outlined: bool = False) -> None:
    """Draw a row of points of which the positive ones darken their cells, and perhaps a border around the most."""
    shown: list[float | str] = [float(points) if points > 0 else number(points) for points in row]
    canvas.matrix(LEFT, y, [shown], "value", top=10, cell=wide)
    if outlined:
        place: dict[str, Any] = {"x": LEFT + int(np.argmax(row)) * wide, "y": y, "width": wide, "height": CELL}
        canvas.add("rect", **place, class_="empty value", style="stroke-width:3")
