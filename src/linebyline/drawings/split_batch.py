"""Four targets in two parts of unequal size: each part's mean has to count by its number of targets."""

from collections.abc import Sequence
from statistics import fmean

from .kit import Canvas, Drawing, number

PARTS = ((1.0, 2.0, 3.0), (6.0,))
CELL, LEFT, GAP = 40, 68, 64


def weighted(parts: Sequence[Sequence[float]] = PARTS) -> float:
    """Return the mean of the means of some parts, each by its number of targets.

    Example:
        >>> weighted(), sum(map(sum, PARTS)) / 4
        (3.0, 3.0)
    """
    whole = sum(map(len, parts))
    return sum(len(part) / whole * fmean(part) for part in parts)


def split_batch() -> Drawing:
    """Draw the losses of a batch, its two parts, their means, and how these are added."""
    canvas, whole = Canvas(304), sum(map(len, PARTS))
    width = whole * CELL
    canvas.text(180, 16, "losses of the four targets", "bold")
    canvas.matrix(180 - width / 2, 28, [[number(loss) for part in PARTS for loss in part]], "layer", cell=CELL)
    ends, x = list[float](), float(LEFT)
    for name, part in zip(("part 1", "part 2"), PARTS, strict=True):
        wide = len(part) * CELL
        middle = x + wide / 2
        canvas.line((180 + (middle - 180) / 2, 60), (middle, 88))
        canvas.matrix(x, 96, [[number(loss) for loss in part]], "layer", cell=CELL)
        canvas.text(middle, 146, f"mean {number(fmean(part))}")
        canvas.note(middle, 166, name, anchor="middle")
        canvas.line((middle, 174), (middle, 206))
        canvas.text(middle + 10, 196, f"× {len(part)}/{whole}", "weight", "start")
        canvas.text(middle, 226, number(len(part) / whole * fmean(part)), "bold")
        ends.append(middle)
        x += wide + GAP
    canvas.plus(180, 250)
    for end in ends:
        canvas.line((end, 234), (end, 250), (180 + (14 if end > 180 else -14), 250))
    canvas.line((180, 262), (180, 278))
    canvas.text(180, 298, f"mean of the batch: {number(weighted())}", "bold")
    plain = fmean(map(fmean, PARTS))
    return canvas.finish(
        "A batch in two parts",
        f"Losses 1, 2, 3 and 6. Part 1 has the first three, with mean {number(fmean(PARTS[0]))}; part 2 has the last,"
        f" with mean {number(fmean(PARTS[1]))}. Three quarters of the one and a quarter of the other add up to"
        f" {number(weighted())}, the mean of all four; the plain mean of the two would be {number(plain)}.",
    )
