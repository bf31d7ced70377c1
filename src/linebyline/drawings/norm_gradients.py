"""The way back through a layer norm, and how much of a gradient is left in a stack of layers with norms."""

from fractions import Fraction
from typing import Any

import numpy as np

from .kit import SMALL, Canvas, Drawing, number

X, D_X_HAT = np.array([2.0, 2, 6, 6]), np.array([4.0, 0, 0, 0])  # a vector, and the gradient after its norm
N_LAYERS = 3
MIDDLE, WIDE = 214, 36  # of the vectors, and of one cell
BAR_LEFT, BAR = 158, 82  # where the bars begin, and how long 1 is
LEFT_OF_FIRST = ("before layer 1", "before layer 2", "before layer 3", "after layer 3")


def steps_back() -> list[np.ndarray]:
    """Take the gradient back through the norm: as it comes, without shift, without stretch, divided by the spread."""
    x_hat = (X - X.mean()) / X.std()
    centered = D_X_HAT - D_X_HAT.mean()
    flat = centered - x_hat * (x_hat * centered).mean()
    return [D_X_HAT, centered, flat, flat / X.std()]


def norm_backward() -> Drawing:
    """Draw a vector, what its norm makes of it, and the gradient on its way back and up in three steps."""
    canvas, x_hat, steps = Canvas(372), (X - X.mean()) / X.std(), steps_back()
    rows = [
        (26, "vector x", X, "", 12.0),
        (88, "after the norm", x_hat, "", 12.0),
        (336, "gradient|after the norm", steps[0], "value", 4.0),
        (274, "without shift", steps[1], "value", 4.0),
        (212, "without stretch", steps[2], "value", 4.0),
        (150, "gradient|before the norm", steps[3], "value", 4.0),
    ]
    for y, words, numbers, role, top in rows:
        first, _, second = words.partition("|")
        canvas.text(4, y - 3 if second else y + 5, first, "bold" if second else "", "start", 14)
        if second:
            canvas.note(4, y + 14, second, "")
        canvas.vector(MIDDLE, y, numbers.tolist(), role, top=top, cell=WIDE)
    for y, words, role in (
        (57, f"minus {number(X.mean())}, divided by {number(X.std())}", ""),
        (305, f"minus its mean, {number(steps[0].mean())}", "value"),
        (243, f"minus {number((x_hat * steps[1]).mean())} × {_words(x_hat)}", "value"),
        (181, f"divided by {number(X.std())}", "value"),
    ):
        ends = [(MIDDLE - 60, y - 16), (MIDDLE - 60, y + 14)]
        canvas.line(*(reversed(ends) if role else ends), kind=role)
        canvas.note(MIDDLE - 50, y + 5, words, "")
    for y, step in zip((336, 274, 212, 150), steps, strict=True):
        canvas.note(294, y - 3, f"sum {number(step.sum())}")
        canvas.note(294, y + 14, f"dot {number(x_hat @ step)}")
    canvas.line((4, 119), (356, 119), kind="off", arrow=False)
    said = ", then ".join(_words(step) for step in steps)
    return canvas.finish(
        "The way back through a layer norm",
        f"The vector {_words(X)} has the mean {number(X.mean())} and the standard deviation {number(X.std())}, so its"
        f" norm is {_words(x_hat)}. From the bottom to the top: the gradient after it is {_words(steps[0])}. It loses"
        f" its mean, then its part along the normalized vector, and is divided by {number(X.std())}: {said}. Beside"
        " each gradient are its sum and its product with the normalized vector; at the end both are 0.",
    )


def halves() -> Drawing:
    """Draw how a gradient of squared length 1 comes back through one post-norm layer, on two ways of one half each."""
    canvas, stream, branch = Canvas(330), 128, 280
    canvas.text(stream + 16, 304, "1", "bold", "start")
    canvas.note(stream + 16, 322, "squared length, from the loss", "")
    canvas.line((stream, 326), (stream, 282), kind="value", width=4)
    canvas.box(stream - 60, 236, 120, 44, "norm", note="divides by √2")
    canvas.line((stream, 235), (stream, 196), kind="value", arrow=False, width=2)
    canvas.text(stream + 14, 222, "1/2", "bold", "start")
    canvas.line((branch, 111), (branch, 64), (stream + 13, 64), kind="value", width=2)
    canvas.line((stream, 196), (branch, 196), (branch, 158), kind="value", width=2)
    canvas.text(branch + 10, 184, "1/2", "bold", "start")
    canvas.box(branch - 60, 112, 120, 44, "layer", role="layer", note="keeps the length")
    canvas.line((stream, 196), (stream, 76), kind="value", width=2)
    canvas.add("circle", cx=stream, cy=196, r=5, class_="head value")
    canvas.note(stream - 10, 200, "copied", "", "end")
    canvas.text(stream - 10, 136, "1/2", "bold", "end")
    canvas.note(stream - 10, 154, "along the stream", "", "end")
    canvas.text(branch - 60, 54, "1/2", "bold")
    canvas.plus(stream, 64)
    canvas.line((stream, 52), (stream, 22), kind="value", width=4)
    canvas.text(stream + 16, 30, "1/2 + 1/2 = 1", "bold", "start")
    return canvas.finish(
        "One post-norm layer, backward",
        "From the bottom to the top: a gradient of squared length 1 comes from the loss, and the norm leaves one half"
        " of it. One half returns along the stream, and one half through the layer. Where they meet, they add up to 1.",
    )


def accounts(pre_norm: bool) -> tuple[list[Fraction], list[tuple[Fraction, Fraction]]]:
    """Return the variance at each place of the stream, and the squared length of the gradient, in two parts.

    One part comes back along the stream, the other through the layer.
    Each layer adds a variance of 1 and keeps the length of a gradient; after the last norm the gradient has length 1.
    """
    variances = [Fraction(1 + place if pre_norm else 1) for place in range(N_LAYERS + 1)]
    last = 1 / variances[-1]
    found = [(last, Fraction(0))]
    for place in reversed(range(N_LAYERS)):
        after = found[0][0] + found[0][1]
        # Post-norm divides the sum, of variance 2; pre-norm divides what the layer reads.
        along = after if pre_norm else after / 2
        through = after / variances[place] if pre_norm else after / 2
        found.insert(0, (along, through))
    return variances, found


def squared_gradients() -> Drawing:
    """Draw variance and squared length of the gradient at each place of a stream, for post-norm and pre-norm."""
    canvas, said = Canvas(410), []
    for y, name, pre_norm in ((20, "Post-norm", False), (214, "Pre-norm", True)):
        variances, parts = accounts(pre_norm)
        canvas.text(4, y, name, "bold", "start")
        canvas.note(114, y + 22, "variance", anchor="middle")
        canvas.note(BAR_LEFT, y + 22, "squared length")
        for row, (place, variance, (along, through)) in enumerate(zip(LEFT_OF_FIRST, variances, parts, strict=True)):
            at = y + 48 + 32 * row
            canvas.note(4, at + 5, place, "")
            canvas.text(114, at + 5, str(variance), size=SMALL + 1)
            for start, size, role in ((Fraction(0), along, "stream"), (along, through, "layer")):
                if size:
                    width = float(BAR * size)
                    box: dict[str, Any] = {
                        "x": float(BAR_LEFT + BAR * start),
                        "y": at - 11,
                        "width": width,
                        "height": 22,
                    }
                    opacity = 0.5 if role == "layer" else 0.25 if through else 0.0  # the last bar is neither part
                    canvas.add("rect", **box, class_=f"cell {role * (role == 'layer')}".strip(), fill_opacity=opacity)
            words = f"{along} + {through} = {along + through}" if through else f"{along}"
            canvas.text(BAR_LEFT + BAR * float(along + through) + 8, at + 5, words, "bold", "start", 14)
        left = (f"{place}: {a + b}" for place, (a, b) in zip(LEFT_OF_FIRST, parts, strict=True))
        said.append(
            f"{name}: the variances are {', '.join(map(str, variances))},"
            f" the squared lengths of the gradient {', '.join(left)}"
        )
    canvas.add("rect", x=60, y=392, width=14, height=14, class_="cell", fill_opacity=0.25)
    canvas.note(80, 404, "along the stream", "")
    canvas.add("rect", x=206, y=392, width=14, height=14, class_="cell layer", fill_opacity=0.5)
    canvas.note(226, 404, "through the layer", "")
    return canvas.finish(
        "What is left of a gradient",
        f"{'. '.join(said)}. Bars show the part that comes back along the stream and the part that comes through the"
        " next layer. With pre-norm, variance times squared length is 1 everywhere.",
    )


def _words(row: np.ndarray) -> str:
    return f"({', '.join(map(number, row.tolist()))})"
