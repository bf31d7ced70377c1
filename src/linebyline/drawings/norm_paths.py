"""What a norm does not notice, and the paths of a gradient through two layers with norms."""

from fractions import Fraction

import numpy as np

from .kit import SMALL, Canvas, Drawing, number
from .norm_gradients import X, _words

CHANGES = {  # what is done to the vector (2, 2, 6, 6)
    "unchanged": X,
    "shifted by 1": X + 1,
    "stretched 1.5 times": X.mean() + 1.5 * (X - X.mean()),
    "moved by 0.4 each": X + np.array([0.4, -0.4, 0, 0]),
}
LOW, HIGH = (20, 156, 0, 8), (212, 348, -4, 4)  # left, right, first and last number: the same scale for both


def normed(x: np.ndarray) -> np.ndarray:
    """Subtract the mean and divide by the spread."""
    return np.asarray((x - x.mean()) / x.std())


def unnoticed() -> Drawing:
    """Draw four numbers as dots on a line, before and after a norm: unchanged, shifted, stretched, moved apart."""
    canvas, said = Canvas(52 + 84 * len(CHANGES)), []
    canvas.text(90, 18, "before the norm", "bold", size=14)
    canvas.text(280, 18, "after it", "bold", size=14)
    for row, (name, x) in enumerate(CHANGES.items()):
        y = 96 + 84 * row
        canvas.note(20, y - 42, name, "")
        for numbers, first, scale, role in ((x, X, LOW, "weight"), (normed(x), normed(X), HIGH, "value")):
            if not np.allclose(numbers, first):
                _circles(canvas, y, first, scale, role, fill_opacity=0, opacity=0.6, stroke_dasharray="2 2")
            _dots(canvas, y, numbers, scale, role)
        canvas.line((174, y - 8), (202, y - 8))
        said.append(f"{name}, {_words(x)} becomes {_words(normed(x).round(1))}")
    return canvas.finish(
        "What a norm does not notice",
        f"Four numbers as dots on a line, before and after a norm: {'; '.join(said)}. Dashed circles show where"
        " the dots of the first row were. Only the last change is seen after the norm, where it is half as large.",
    )


def _dots(canvas: Canvas, y: float, numbers: np.ndarray, scale: tuple[float, float, float, float], role: str) -> None:
    """Draw numbers as dots on a line with ticks; equal or close ones are above each other, the first two filled."""
    left, right, first, last = scale
    canvas.line((left - 8, y), (right + 8, y), arrow=False)
    for tick in range(int(first), int(last) + 1, 2):
        x = left + (right - left) * (tick - first) / (last - first)
        canvas.line((x, y), (x, y + 4), arrow=False)
        canvas.note(x, y + 18, number(tick), anchor="middle")
    _circles(canvas, y, numbers, scale, role)


def _circles(
    canvas: Canvas, y: float, numbers: np.ndarray, scale: tuple[float, float, float, float], role: str, **look: object
) -> None:
    """Draw the dots above a line; a ``look`` in place of filled and hollow is for those of the first row."""
    left, right, first, last = scale
    rounded = numbers.round(2).tolist()
    for i, value in enumerate(rounded):
        x = left + (right - left) * (value - first) / (last - first)
        lower = sum(abs(other - value) < 0.9 for other in rounded[:i])
        filled: dict[str, object] = look or {"fill_opacity": 0.9 if i < 2 else 0}
        canvas.add("circle", "", cx=x, cy=y - 8 - 14 * lower, r=6, class_=f"cell {role}", **filled)


def four_paths() -> Drawing:
    """Draw the paths of a gradient of squared length 1 back through two post-norm layers: four, with a quarter each."""
    canvas, left = Canvas(372), Fraction(1)
    canvas.text(192, 366, "1", "bold", "start")
    canvas.note(208, 366, "from the loss", "")
    for y, places, layer, reach, top in ((350, [180], "layer 2", 90, 222), (208, [90, 270], "layer 1", 45, 50)):
        left /= 2
        for x in places:
            canvas.line((x, y + 14), (x, y - 18), kind="value", width=2)
            canvas.box(x - 38, y - 46, 76, 28, layer.replace("layer", "norm"))
            canvas.line((x, y - 46), (x, y - 62), kind="value", arrow=False, width=2)
            canvas.text(x + 10, y - 50, str(left), "bold", "start", SMALL)
            along, through, fork = x - reach, x + reach, y - 62
            canvas.line((x, fork), (along, fork), (along, top), kind="value", arrow=top < 100, width=2)
            canvas.note(along + 7, y - 92, "stream")
            canvas.line((x, fork), (through, fork), (through, y - 84), kind="value", width=2)
            canvas.box(through - 34, y - 112, 68, 28, layer, role="layer")
            canvas.line((through, y - 112), (through, top), kind="value", arrow=top < 100, width=2)
            for end in (along, through):
                if top < 100:
                    canvas.text(end, 40, str(left), "bold")
                else:
                    canvas.text(end + 10, top + 11, str(left), "bold", "start", SMALL)
    for x in (90, 180, 270):
        canvas.text(x, 40, "+")
    canvas.text(180, 16, f"together {4 * left}", "bold")
    return canvas.finish(
        "Four paths through two layers",
        "From the bottom to the top, a gradient of squared length 1 meets the norm of layer 2, which leaves one half,"
        " and then two ways: along the stream or through layer 2. On each, the norm of layer 1 leaves one half of it,"
        " and again there are two ways. Four paths arrive, with a quarter each, and together they have 1.",
    )
