"""Three models that spend the same number of operations: rectangles of the same area."""

import numpy as np

from .kit import Canvas, Drawing

BUDGET, PER_WEIGHT = 2e10, 6  # operations, and how many of them each parameter takes for each token
PARAMETERS = (9_080, 22_976, 134_064)
LEFT, FLOOR, WIDE, HIGH = 44, 262, 300, 214  # the corner, and what the widest and the highest rectangle take


def tokens(parameters: float, budget: float = BUDGET) -> float:
    """Return how many tokens a model may read for a budget.

    Example:
        >>> [round(tokens(n), -2) for n in PARAMETERS]
        [367100.0, 145100.0, 24900.0]
    """
    return budget / PER_WEIGHT / parameters


def equal_budgets() -> Drawing:
    """Draw parameters to the right and tokens upward, so that the area of a rectangle is what it costs."""
    canvas = Canvas(288)
    most, longest = max(PARAMETERS), tokens(min(PARAMETERS))

    def place(n: float, d: float) -> tuple[float, float]:
        return LEFT + n / most * (WIDE - 6), FLOOR - d / longest * HIGH

    curve = [place(n, tokens(n)) for n in np.geomspace(min(PARAMETERS), most, 50)]
    canvas.line(*curve, arrow=False, kind="off")
    for n in PARAMETERS:
        x, y = place(n, tokens(n))
        canvas.add("rect", x=LEFT, y=y, width=x - LEFT, height=FLOOR - y, class_="cell weight", fill_opacity=0)
        canvas.add("circle", cx=x, cy=y, r=4, class_="filled weight")
    canvas.line((LEFT, FLOOR), (LEFT, 26))
    canvas.line((LEFT, FLOOR), (LEFT + WIDE + 8, FLOOR))
    canvas.note(LEFT - 36, 16, "tokens that it reads")
    canvas.note(LEFT + WIDE, FLOOR + 20, "parameters of the model", anchor="end")
    for n, (dx, dy), anchor in zip(PARAMETERS, ((12, 4), (12, -14), (0, -44)), ("start", "start", "end"), strict=True):
        x, y = place(n, tokens(n))
        canvas.text(x + dx, y + dy, f"{n:,} parameters", "bold", anchor, size=13)
        canvas.note(x + dx, y + dy + 16, f"read {float(f'{tokens(n):.3g}'):,.0f} tokens", anchor=anchor)
    return canvas.finish(
        "The same budget for three models",
        "Parameters to the right, tokens upward. Three rectangles have the same area, the budget of 20 billion"
        f" operations: a narrow, high one with {PARAMETERS[0]:,} parameters and {tokens(PARAMETERS[0]):,.0f} tokens,"
        f" one in between with {PARAMETERS[1]:,} and {tokens(PARAMETERS[1]):,.0f}, and a wide, low one with"
        f" {PARAMETERS[2]:,} and {tokens(PARAMETERS[2]):,.0f}. Their corners lie on a curve.",
    )
