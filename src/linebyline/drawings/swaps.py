"""The swaps from GPT-2 to Llama, each with the numbers of a small example: two norms and two layers."""

import numpy as np

from .kit import CELL, Canvas, Drawing, number

X = np.array([0.0, 2, 4, 6])
WIDE = 43  # a cell of a norm's numbers
TOKEN, PLAIN, GATED, UNIT = 6, 24, 16, 5  # widths of a token and of two layers, and pixels for each of them


def two_norms() -> Drawing:
    """Draw the steps of layer norm and of RMSNorm for the same vector."""
    canvas = Canvas(262)
    centered, deviation, size = X - X.mean(), float(X.std()), float(np.sqrt((X**2).mean()))
    by_layer, by_size = centered / deviation, X / size
    canvas.vector(180, 20, X.tolist(), top=6, cell=WIDE)
    steps = (
        (90, "Layer norm", ((centered, f"subtract the mean, {number(X.mean())}"), (by_layer, _divided(deviation)))),
        (270, "RMSNorm", ((X, "the mean stays"), (by_size, _divided(size)))),
    )
    for x, name, results in steps:
        canvas.line((180, 20 + CELL / 2), (x, 60))
        canvas.text(x, 80, name, "bold")
        y = 112
        for i, (vector, words) in enumerate(results):
            canvas.note(x, y, words, "quiet", "middle")
            canvas.vector(x, y + 22, vector.tolist(), "weight" if i else "", top=2 if i else 6, cell=WIDE)
            y += 88
            if not i:
                canvas.line((x, y - 49), (x, y - 16))
        canvas.note(x, y - 34, "root mean square 1", "", "middle")
    layer, rms = (", ".join(map(number, each)) for each in (by_layer, by_size))
    return canvas.finish(
        "Layer norm and RMSNorm",
        f"The vector {', '.join(map(number, X))} in two ways. Layer norm subtracts the mean, {number(X.mean())}, and"
        f" divides by {number(deviation)}, which gives {layer}. RMSNorm only divides, by {number(size)}, which gives"
        f" {rms}. Both results have the root mean square 1.",
    )


def two_feed_forwards() -> Drawing:
    """Draw the matrices of a plain and of a gated layer to scale, with as many weights in both."""
    canvas = Canvas(330)
    low, plain, gated = TOKEN * UNIT, PLAIN * UNIT, GATED * UNIT
    for x, name, matrices, units in ((92, "GELU layer", 2, PLAIN), (268, "SwiGLU layer", 3, GATED)):
        canvas.text(x, 18, name, "bold")
        canvas.add("rect", x=x - low / 2, y=50, width=low, height=8, class_="token")
        canvas.note(x, 44, f"token, {TOKEN} wide", anchor="middle")
        total = matrices * TOKEN * units
        canvas.note(x, 322, f"{matrices} · {TOKEN} · {units} = {total}", "bold", "middle")
    canvas.line((92, 60), (92, 86))
    _matrix(canvas, 92, 90, plain, low, "6 × 24")
    canvas.note(92, 138, "24 units, GELU", "", "middle")
    _matrix(canvas, 92, 146, low, plain, "24 × 6")
    for side, words, shape in ((-1, "gate g", "6 × 16"), (1, "number u", "6 × 16")):
        x = 268 + side * 46
        canvas.line((268 + side * 8, 60), (x, 86))
        _matrix(canvas, x, 90, gated, low, shape)
        canvas.note(x, 136, words, "", "middle")
        canvas.line((x, 140), (268 + side * 14, 162))
    canvas.note(268, 178, "SiLU(g) · u", "", "middle")
    _matrix(canvas, 268, 186, low, gated, "16 × 6")
    for x, y in ((92, 146 + plain), (268, 186 + gated)):
        canvas.line((x, y + 2), (x, y + 20))
        canvas.add("rect", x=x - low / 2, y=y + 22, width=low, height=8, class_="token")
    return canvas.finish(
        "A plain and a gated layer with as many weights",
        f"The matrices are drawn to scale. The GELU layer has two, {TOKEN} by {PLAIN} and back, with"
        f" {2 * TOKEN * PLAIN} weights. The SwiGLU layer has three, for the gate, for the number that it multiplies,"
        f" and for the way back; they are only {GATED} wide, and have {3 * TOKEN * GATED} weights as well.",
    )


def _divided(by: float) -> str:
    return f"divide by {number(by)}"


def _matrix(canvas: Canvas, x: float, y: float, width: float, height: float, shape: str) -> None:
    """Draw a matrix to scale, centered at x, with its shape inside or, if it is narrow, beside it."""
    canvas.add("rect", x=x - width / 2, y=y, width=width, height=height, class_="filled weight")
    beside = width < height
    canvas.note(x + (width / 2 + 6 if beside else 0), y + height / 2 + 5, shape, "", "start" if beside else "middle")
