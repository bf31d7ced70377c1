"""The task with two copies: each hidden symbol, and the place where the other copy shows it."""

from .kit import Canvas, Drawing

COPY = (11, 25, 26, 4, 25, 9, 1, 22)
HIDDEN = (4, 6, 9)
STEP, FIRST, MIDDLE, EDGE = 21.5, 14, 92, 15  # the row: from one symbol to the next, the first, and its height


def twins() -> dict[int, int]:
    """Return the place of the twin of each hidden symbol.

    Example:
        >>> twins()
        {4: 12, 6: 14, 9: 1}
    """
    return {t: (t + len(COPY)) % (2 * len(COPY)) for t in HIDDEN}


def two_copies() -> Drawing:
    """Draw a row of symbols that is written twice, with an arrow from each hidden symbol to its twin."""
    canvas, said = Canvas(170), []
    canvas.note(4, 14, "looks to the right: a causal mask forbids it", "")
    canvas.note(4, 160, "looks to the left: a causal mask allows it", "")
    for t, symbol in enumerate(2 * COPY):
        x = _place(t)
        kind = "token lit" if t in HIDDEN else "token"
        canvas.add("rect", x=x - 9.5, y=MIDDLE - EDGE, width=19, height=2 * EDGE, rx=6, class_=kind)
        canvas.text(x, MIDDLE + 5, "?" if t in HIDDEN else str(symbol), "bold" if t in HIDDEN else "", size=13)
    for n, (t, twin) in enumerate(twins().items()):
        side = -1 if twin > t else 1
        edge = MIDDLE + side * EDGE
        bow = edge + side * (16 if twin < t else 40 - 18 * n)
        canvas.line((_place(t), edge), (_place(t), bow), (_place(twin), bow), (_place(twin), edge + 3 * side))
        said.append(
            f"symbol {t + 1} is hidden, and its twin is symbol {twin + 1}, on its {'right' if side < 0 else 'left'}"
        )
    return canvas.finish(
        "A row that is written twice", f"The row is {' '.join(map(str, 2 * COPY))}: {'; '.join(said)}."
    )


def _place(t: int) -> float:
    """The middle of a symbol; there is a gap between the copies."""
    return FIRST + STEP * t + (8 if t >= len(COPY) else 0)
