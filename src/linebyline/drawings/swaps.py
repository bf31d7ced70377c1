"""The third swap from GPT-2 to Llama: two feed-forward layers with as many weights."""

from .kit import Canvas, Drawing

TOKEN, PLAIN, GATED, UNIT = 6, 24, 16, 5  # widths of a token and of two layers, and pixels for each of them


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


def _matrix(canvas: Canvas, x: float, y: float, width: float, height: float, shape: str) -> None:
    """Draw a matrix to scale, centered at x, with its shape inside or, if it is narrow, beside it."""
    canvas.add("rect", x=x - width / 2, y=y, width=width, height=height, class_="filled weight")
    beside = width < height
    canvas.note(x + (width / 2 + 6 if beside else 0), y + height / 2 + 5, shape, "", "start" if beside else "middle")
