"""What goes into BERT: a row of each of three tables is added for every token, and a norm follows."""

from collections.abc import Sequence
from statistics import fmean, pstdev

from .kit import Canvas, Drawing, number

TEXT = ("[CLS]", "The", "axis", "[SEP]", "The", "size", "[SEP]")
FIRST_TEXT, LIT = 4, 5  # how many tokens have the segment 0, and the token that is followed
ROWS = (
    (3.0, 0.0, 0.0, 0.0),
    (0.0, 1.0, 0.0, 0.0),
    (0.0, 0.0, 1.0, 3.0),
)  # of the token, of its position, and of its segment
STEP, FIRST = 50, 30


def added(rows: Sequence[Sequence[float]] = ROWS) -> list[list[float]]:
    """Return the sum of the rows, and the sum after a norm without gain and bias.

    Example:
        >>> added()
        [[3.0, 1.0, 1.0, 3.0], [1.0, -1.0, -1.0, 1.0]]
    """
    total = [sum(column) for column in zip(*rows, strict=True)]
    return [total, [(value - fmean(total)) / pstdev(total) for value in total]]


def added_rows() -> Drawing:
    """Draw the position and the segment of each token of two texts, and the rows that are added for one of them."""
    canvas, total = Canvas(386), added()
    segments = [int(t >= FIRST_TEXT) for t in range(len(TEXT))]
    for y, words in ((14, "two texts, framed"), (84, "position"), (150, "segment: which of the two texts")):
        canvas.note(4, y, words, "")
    for t, (token, segment) in enumerate(zip(TEXT, segments, strict=True)):
        x, role = FIRST + t * STEP, "weight" if t == LIT else ""
        canvas.token(x, 38, token, 48, "lit" if t == LIT else "")
        canvas.vector(x, 106, [str(t)], role)
        canvas.vector(x, 172, [str(segment)], role)
    names = (f"row of the token “{TEXT[LIT]}”", f"+ row of position {LIT}", f"+ row of segment {segments[LIT]}")
    for n, (name, row) in enumerate(zip((*names, "= their sum", "after the norm"), (*ROWS, *total), strict=True)):
        y = 226 + 32 * n + (6 if n > 2 else 0)
        canvas.text(4, y + 5, name, "bold" if n == 4 else "", "start")
        canvas.vector(276, y, [number(value) for value in row], "layer", cell=38)
    said = "; ".join(f"{w}, position {t}, segment {s}" for t, (w, s) in enumerate(zip(TEXT, segments, strict=True)))
    shown = [f"({', '.join(map(number, row))})" for row in (*ROWS, *total)]
    return canvas.finish(
        "What goes into BERT",
        f"The tokens are {said}. For '{TEXT[LIT]}' the rows {shown[0]} of the token, {shown[1]} of the position and"
        f" {shown[2]} of the segment are added. Their sum is {shown[3]}, and after the norm it is {shown[4]}.",
    )
