"""Five changes of a loss, one for each seed, with their mean and the interval around it."""

import numpy as np

from .kit import Canvas, Drawing

CHANGES = (0.0043, -0.0057, 0.0100, -0.0073, 0.0022)  # by RMSNorm, in bits per byte, seed by seed
REACH = 4.604  # standard errors to each side: Student's t for five values and 99 percent
MIDDLE, UNIT = 180, 8600  # the place of zero, and pixels for a bit per byte


def interval(changes: tuple[float, ...]) -> tuple[float, float, float]:
    """Return the mean of the changes, its standard error, and how far the interval reaches to each side."""
    error = float(np.std(changes, ddof=1)) / len(changes) ** 0.5
    return float(np.mean(changes)), error, REACH * error


def five_changes() -> Drawing:
    """Draw the five changes as dots, and below them the mean with its standard error and its interval."""
    canvas, (mean, error, reach) = Canvas(198), interval(CHANGES)
    canvas.line((_place(0), 24), (_place(0), 150), kind="stream", arrow=False, width=1)
    canvas.note(4, 18, "five seeds")
    for seed, change in enumerate(CHANGES):
        canvas.add("circle", cx=_place(change), cy=44, r=5, class_="filled weight")
        canvas.note(_place(change), 66, str(seed), anchor="middle")
    low, high = _place(mean - reach), _place(mean + reach)
    canvas.note(4, 94, "mean and interval")
    canvas.line((low, 112), (high, 112), kind="weight", arrow=False, width=2)
    for end in (low, high):
        canvas.line((end, 105), (end, 119), kind="weight", arrow=False, width=2)
    canvas.line((_place(mean - error), 112), (_place(mean + error), 112), kind="weight", arrow=False, width=7)
    canvas.add("circle", cx=_place(mean), cy=112, r=7, class_="head stream")
    for end, value in ((low, mean - reach), (high, mean + reach)):
        canvas.note(end, 137, f"{value:+.3f}".replace("-", "−"), "", "middle")
    canvas.line((20, 150), (340, 150), arrow=False)
    for tick, words in ((-0.01, "−0.01"), (0, "0"), (0.01, "+0.01")):
        canvas.line((_place(tick), 150), (_place(tick), 155), arrow=False)
        canvas.note(_place(tick), 169, words, anchor="middle")
    canvas.note(MIDDLE, 190, "better ← change in bits per byte → worse", "", "middle")
    return canvas.finish(
        "Five changes and the interval around their mean",
        f"Five dots on an axis of the change in bits per byte, at {', '.join(f'{each:+.4f}' for each in CHANGES)}."
        f" Below them their mean, {mean:+.4f}, with a thick bar of one standard error, {error:.4f}, to each side, and"
        f" a thin bar from {mean - reach:+.3f} to {mean + reach:+.3f}, which contains zero.",
    )


def _place(change: float) -> float:
    """Return the horizontal place of a change."""
    return MIDDLE + UNIT * change
