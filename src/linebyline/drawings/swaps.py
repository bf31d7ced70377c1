"""The swaps from GPT-2 to Llama, each with the numbers of a small example: two norms, two layers, two places."""

import numpy as np

from .kit import CELL, Canvas, Drawing, number

X = np.array([0.0, 2, 4, 6])
WIDE = 43  # a cell of a norm's numbers
TOKEN, PLAIN, GATED, UNIT = 6, 24, 16, 5  # widths of a token and of two layers, and pixels for each of them
QUERY, KEY, STEP = 2, 1, 30  # the lengths of a query and a key, and degrees for each position
PLACES = ((5, 3), (105, 103))  # of the query and of the key
RADIUS = 56


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


def moved_pair() -> Drawing:
    """Draw a rotated query and key at two places with the same distance."""
    canvas, said = Canvas(226), []
    for x, (t, s) in zip((90, 270), PLACES, strict=True):
        y, turned = 96, (t * STEP % 360, s * STEP % 360)
        canvas.text(x, 20, f"positions {t} and {s}", "bold", size=13)
        canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="off")
        canvas.note(x + RADIUS + 4, y + 5, "0°")
        start, end = (_tip(x, y, angle, 24) for angle in sorted(turned))
        arc = f"M{x} {y}L{start[0]:.1f} {start[1]:.1f}A24 24 0 0 0 {end[0]:.1f} {end[1]:.1f}z"
        canvas.add("path", d=arc, class_="filled weight")
        canvas.line((x, y), _tip(x, y, turned[0], RADIUS), kind="query", width=3)
        canvas.line((x, y), _tip(x, y, turned[1], RADIUS / 2), kind="key", width=3)
        canvas.note(x, 176, f"query {turned[0]}°, key {turned[1]}°", "", "middle")
        between = turned[0] - turned[1]
        score = number(QUERY * KEY * np.cos(np.radians(between)))
        canvas.note(x, 194, f"{between}° apart, score {score}", "bold", "middle")
        said.append(f"at positions {t} and {s} they are at {turned[0]} and {turned[1]} degrees, {between} apart")
    for x, length, words in ((60, 40, "query"), (214, 20, "key")):
        canvas.line((x, 215), (x + length, 215), kind=words, width=3)
        canvas.note(x + length + 8, 220, f"{words} hand", words)
    return canvas.finish(
        "The same distance at two places",
        f"A query and a key that turn by {STEP} degrees for each position: {'; '.join(said)}. The score is the same.",
    )


def _divided(by: float) -> str:
    return f"divide by {number(by)}"


def _matrix(canvas: Canvas, x: float, y: float, width: float, height: float, shape: str) -> None:
    """Draw a matrix to scale, centered at x, with its shape inside or, if it is narrow, beside it."""
    canvas.add("rect", x=x - width / 2, y=y, width=width, height=height, class_="filled weight")
    beside = width < height
    canvas.note(x + (width / 2 + 6 if beside else 0), y + height / 2 + 5, shape, "", "start" if beside else "middle")


def _tip(x: float, y: float, degrees: float, length: float) -> tuple[float, float]:
    """Return where a hand at (x, y) ends; it starts on the right and turns counterclockwise."""
    return float(x + length * np.cos(np.radians(degrees))), float(y - length * np.sin(np.radians(degrees)))
