"""The one scale on which a single head puts all weeks: the farther apart two of them are, the better it does."""

from .kit import Canvas, Drawing

# The strength of each week, from 1 to 52, in the single head that the chapter on several heads trains for 400 steps.
# fmt: off
STRENGTHS = (
    -0.24, 0.53, 0.67, -0.07, -0.0, 0.17, -0.12, 0.55, 0.04, -0.5, -0.71, -0.68, -0.14,
    -0.23, 0.66, 0.21, 0.6, -0.72, -0.29, 0.7, 0.29, 0.2, -0.55, 0.08, -0.4, 0.4,
    0.26, -0.43, -0.19, -0.49, 0.61, 0.35, 0.48, 0.11, -0.08, 0.3, -0.15, 0.52, 0.54,
    0.64, 0.22, 0.41, -0.56, -0.18, 0.12, 0.16, -0.11, 0.27, 0.26, -0.15, 0.16, -0.06,
)
# fmt: on
LAST = 36
PAIRS = {21: 0.27, 9: 0.67, 11: 0.97}  # another week, and how often both are right in journeys as far apart
LEFT, RIGHT, AXIS, FIRST, STEP = 14, 346, 62, 128, 46


def strengths() -> Drawing:
    """Draw the weeks as ticks on a scale, and three journeys whose weeks are close on it, less close, and far apart."""
    canvas, end = Canvas(FIRST + 2 * STEP + 28), _place(LAST)
    canvas.note(LEFT, 18, "strength of each of the 52 weeks", "key")
    canvas.note(LEFT, AXIS + 22, "weak")
    canvas.note(RIGHT, AXIS + 22, "strong", anchor="end")
    canvas.line((LEFT - 6, AXIS), (RIGHT + 8, AXIS))
    for week in range(1, len(STRENGTHS) + 1):
        canvas.line((_place(week), AXIS - 7), (_place(week), AXIS + 7), kind="key", arrow=False, width=1)
    for week in (9, 11, LAST):
        canvas.text(_place(week), AXIS - 12, str(week), "bold")
    canvas.line((end, AXIS + 8), (end, FIRST + 2 * STEP + 14), arrow=False, width=1)
    said = []
    for i, (week, right) in enumerate(PAIRS.items()):
        y, x = FIRST + i * STEP, _place(week)
        canvas.text(min(max(x, 18), end - 12), y - 11, str(week), "bold")
        canvas.line((x, y - 7), (x, y + 7), kind="key", arrow=False, width=2)
        canvas.line((x, y), (end, y), kind="key", arrow=False, width=3)
        canvas.bar(310, y, right, 76)
        apart = abs(STRENGTHS[week - 1] - STRENGTHS[LAST - 1])
        said.append(f"{week} and {LAST} differ by {apart:.2f}: {right:.2f}")
    canvas.note(RIGHT + 2, FIRST - 22, "both right", "weight", "end")
    return canvas.finish(
        "One scale of strengths",
        "The 52 weeks are ticks on a line, from weak to strong. Three pairs are marked on it, with the fraction of"
        f" such journeys for which both weeks are right. {'. '.join(said)}.",
    )


def _place(week: int) -> float:
    """Return where a week is on the scale."""
    low, high = min(STRENGTHS), max(STRENGTHS)
    return LEFT + (RIGHT - LEFT) * (STRENGTHS[week - 1] - low) / (high - low)
