"""A softmax in two pieces: what is kept of each piece of the keys, and how the two are put together."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .kit import Canvas, Drawing

SCORES = ((1, 0), (3, 0))
VALUES = ((6, 12), (3, 12))
WIDE, MIDDLES, ROWS = 52, (140.0, 286.0), (48, 84, 120, 156)


class Kept(NamedTuple):
    """What is kept of some keys: the largest score, the sum of powers of 2 below it, and the sum of values by them."""

    m: int
    l: Fraction  # noqa: E741, its name in the book
    o: Fraction


def kept(scores: Sequence[int], values: Sequence[int]) -> Kept:
    """Return what is kept of some keys.

    Example:
        >>> [tuple(map(float, kept(z, v))) for z, v in zip(SCORES, VALUES)]
        [(1.0, 1.5, 12.0), (3.0, 1.125, 4.5)]
    """
    m = max(scores)
    powers = [Fraction(2) ** (z - m) for z in scores]
    return Kept(m, Fraction(sum(powers)), Fraction(sum(p * v for p, v in zip(powers, values, strict=True))))


def merged(a: Kept, b: Kept) -> Kept:
    """Return what is kept of the keys of both.

    Example:
        >>> tuple(map(float, merged(*map(kept, SCORES, VALUES))))
        (3.0, 1.5, 7.5)
    """
    m = max(a.m, b.m)
    f, g = (Fraction(2) ** (part.m - m) for part in (a, b))
    return Kept(m, f * a.l + g * b.l, f * a.o + g * b.o)


def online_softmax() -> Drawing:
    """Draw two blocks of two keys each, what is kept of them, and their merger into one output."""
    canvas, parts = Canvas(414), [kept(z, v) for z, v in zip(SCORES, VALUES, strict=True)]
    whole, middle = merged(*parts), sum(MIDDLES) / 2
    for y, words in zip(ROWS, ("scores", "scores − m", "powers p", "values v"), strict=True):
        canvas.note(2, y + 4, words, "")
    for number, (x, scores, values, part) in enumerate(zip(MIDDLES, SCORES, VALUES, parts, strict=True), 1):
        canvas.text(x, 20, f"block {number}", "bold")
        below = [z - part.m for z in scores]
        powers = [str(Fraction(2) ** z) for z in below]
        rows = (*([str(cell).replace("-", "−") for cell in cells] for cells in (scores, below)), powers)
        for y, written in zip(ROWS, (*rows, list(map(str, values))), strict=True):
            canvas.vector(x, y, written, "value" if y == ROWS[-1] else "weight", cell=WIDE)
        canvas.line((x, 172), (x, 190))
        three(canvas, x, 193, part)
        canvas.line((x, 262), (x, 308), (middle + (13 if x > middle else -13), 308))
        canvas.note(x + 8, 286, f"sums × {Fraction(2) ** (part.m - whole.m)}", "")
    canvas.plus(middle, 308)
    canvas.note(2, 216, "largest", "")
    canvas.note(2, 234, "sum of p", "")
    canvas.note(2, 252, "sum of p·v", "")
    canvas.note(2, 366, "the larger m,", "")
    canvas.note(2, 384, "sums added", "")
    canvas.line((middle, 320), (middle, 340))
    three(canvas, middle, 343, whole)
    canvas.text(middle + 62, 381, "o / l", "symbol value", "start")
    canvas.text(middle + 102, 381, f"= {_short(whole.o / whole.l)}", "value", "start")
    said = [
        f"block {n} has scores {_listed(scores)} and values {_listed(values)}; kept of it are {_said(part)}"
        for n, (scores, values, part) in enumerate(zip(SCORES, VALUES, parts, strict=True), 1)
    ]
    return canvas.finish(
        "A softmax in two blocks",
        f"Four keys come in two blocks: {'; '.join(said)}. The sums of block 1 are multiplied by"
        f" {Fraction(2) ** (parts[0].m - whole.m)}, since its largest score is smaller, and added to those of block 2."
        f" Of both together, {_said(whole)}, and the output is o / l = {_short(whole.o / whole.l)}.",
    )


def three(canvas: Canvas, x: float, y: float, part: Kept, width: float = 104) -> None:
    """Write the three numbers that are kept, in a box with its upper edge at y; their names are set as in a formula."""
    canvas.box(x - width / 2, y, width, 66, "")
    for n, (name, value) in enumerate(zip(part._fields, (Fraction(part.m), part.l, part.o), strict=True)):
        canvas.text(x - 30, y + 22 + 18 * n, name, "symbol")
        canvas.text(x - 18, y + 22 + 18 * n, f"= {_short(value)}", anchor="start")


def _short(number: Fraction) -> str:
    """Return a number with as many decimals as it has."""
    return f"{float(number):g}"


def _said(part: Kept) -> str:
    """Return in words what is kept."""
    return f"m = {part.m}, l = {_short(part.l)} and o = {_short(part.o)}"


def _listed(numbers: Sequence[int]) -> str:
    """Return two numbers in words."""
    return " and ".join(map(str, numbers))
