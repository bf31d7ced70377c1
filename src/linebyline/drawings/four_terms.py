"""What an added position does to a score: its four terms, at two places of a text."""

from typing import Any

import numpy as np

from .kit import Canvas, Drawing

QUERY, KEY, STEP = np.array([2.0, 0.0]), np.array([1.0, 1.0]), 30  # of *loves*, of *Dan*, and degrees a position
TERMS = (("q · k", "words"), ("q · p_s", "place"), ("p_t · k", "place"), ("p_t · p_s", "distance"))
ROLES = ("", "query", "key", "")
WIDE, HIGH, ROW, TOP = 96, 28, 46, 46
COLUMNS, FRAME = (104, 216), 320  # where the bars of a place begin, and the width of the drawing
PLACES = ((1, 0), (4, 3))  # of the query and of the key


def four_terms() -> Drawing:
    """Draw the terms of the score of *loves* and *Dan* as bars, a column for each place of the pair."""
    canvas, said = Canvas(TOP + 4 * ROW + 26, FRAME), []
    for i, ((name, about), role) in enumerate(zip(TERMS, ROLES, strict=True)):
        canvas.text(4, TOP + i * ROW + 12, name, role or "bold", "start", 16)
        canvas.note(4, TOP + i * ROW + 28, about, role or "quiet")
    canvas.text(4, TOP + 4 * ROW + 16, "score", "bold", "start", 16)
    for x, (t, s) in zip(COLUMNS, PLACES, strict=True):
        terms = QUERY @ KEY, QUERY @ hand(s), hand(t) @ KEY, hand(t) @ hand(s)
        middle = x + WIDE / 2
        canvas.text(middle, 14, f"Dan at {s},")
        canvas.text(middle, 32, f"loves at {t}")
        for i, (term, role) in enumerate(zip(terms, ROLES, strict=True)):
            place: dict[str, Any] = {"x": x, "y": TOP + i * ROW, "height": HIGH}
            canvas.add("rect", **place, width=float(WIDE * term / 2), class_=f"filled {role}".strip())
            canvas.add("rect", **place, width=WIDE, class_=f"empty {role}".strip())
            canvas.text(middle, TOP + i * ROW + 19, _digits(term))
        canvas.text(middle, TOP + 4 * ROW + 16, f"{sum(terms):.2f}", "bold", size=16)
        said.append(f"with Dan at {s} and loves at {t} they are {', '.join(map(_digits, terms))}")
    return canvas.finish(
        "The four terms of a score with added positions",
        f"Four bars, one for each term of the score: {'; '.join(said)}. The first and the last stay the same, and the"
        " two in the middle change.",
    )


def hand(position: int) -> np.ndarray:
    """Write a position as the tip of a clock hand."""
    angle = np.radians(STEP * position)
    return np.array([np.sin(angle), np.cos(angle)])


def _digits(term: float) -> str:
    """Return a term with as many digits as the sum needs to come out."""
    return f"{term:.3f}".rstrip("0").rstrip(".")
