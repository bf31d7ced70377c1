"""The numbers of bfloat16 near 1, and what becomes of a weight of 1 from which 0.001 is taken."""

from .kit import Canvas, Drawing

STEP = 2.0**-8  # from one number below 1 to the next
UPDATE = 0.001
LEFT, EACH = 30, 92  # where 1 - 3 STEP is drawn, and the distance to the next number


def rounded(value: float) -> float:
    """Round a number just below 1 to the nearest one that bfloat16 has.

    Example:
        >>> rounded(0.999), rounded(0.997)
        (1.0, 0.99609375)
    """
    return round(value / STEP) * STEP


def rounding() -> Drawing:
    """Draw the numbers of bfloat16 below 1 as ticks, and the result 0.999 between two of them."""
    canvas = Canvas(128)
    line = 62
    canvas.line((6, line), (354, line), arrow=False)
    places = [LEFT + EACH * k for k in range(4)]
    for k, x in enumerate(places):
        canvas.line((x, line - 8), (x, line + 8), arrow=False)
        canvas.text(x, line + 27, f"{1 - (3 - k) * STEP:.4g}")
    one = places[-1]
    result = one - EACH * UPDATE / STEP
    canvas.add("circle", cx=result, cy=line, r=5, class_="filled weight")
    canvas.text(result - 4, line - 38, f"1 − {UPDATE:g} = {1 - UPDATE:g}", "weight")
    canvas.line((result, line - 8), (result, line - 22), (one, line - 22), (one, line - 10), kind="weight")
    canvas.note(180, line + 56, "no numbers of this format are in between", anchor="middle")
    return canvas.finish(
        "The numbers of bfloat16 just below 1",
        f"A line with ticks at {1 - 3 * STEP:.4g}, {1 - 2 * STEP:.4g}, {1 - STEP:.4g} and 1, the only numbers of this"
        f" format there. The result of 1 minus {UPDATE}, {1 - UPDATE}, is about a quarter of the way from 1 to the next"
        " tick, and an arrow leads from it back to 1, the nearer one.",
    )
