"""What an added position does to a score: its four terms, at two places of a text."""

import numpy as np

from .kit import Canvas, Drawing

QUERY, KEY, STEP = np.array([2.0, 0.0]), np.array([1.0, 1.0]), 30  # of *loves*, of *Dan*, and degrees a position
TERMS = (("q · k", "words"), ("q · p_s", "place"), ("p_t · k", "place"), ("p_t · p_s", "distance"))
ROLES = ("", "query", "key", "")
LEFT, APART, WIDE, HIGH = 8, 88, 72, 26
PLACES = ((1, 0), (4, 3))  # of the query and of the key


def four_terms() -> Drawing:
    """Draw the terms of the score of *loves* and *Dan* as bars, once for each place of the pair."""
    canvas, said = Canvas(210), []
    for i, (name, about) in enumerate(TERMS):
        middle = LEFT + i * APART + WIDE / 2
        canvas.text(middle, 18, name, ROLES[i])
        canvas.note(middle, 202, about, ROLES[i] or "quiet", "middle")
    for y, (t, s) in zip((62, 142), PLACES, strict=True):
        terms = QUERY @ KEY, QUERY @ hand(s), hand(t) @ KEY, hand(t) @ hand(s)
        canvas.note(LEFT, y - 12, f"Dan at {s}, loves at {t}")
        canvas.text(LEFT + 3 * APART + WIDE, y - 12, f"score {sum(terms):.2f}", "bold", "end")
        for i, (term, role) in enumerate(zip(terms, ROLES, strict=True)):
            x = LEFT + i * APART
            canvas.add("rect", x=x, y=y, width=float(WIDE * term / 2), height=HIGH, class_=f"filled {role}".strip())
            canvas.add("rect", x=x, y=y, width=WIDE, height=HIGH, class_=f"empty {role}".strip())
            canvas.text(x + WIDE / 2, y + 18, _digits(term), size=13)
            if i:
                canvas.note(x - (APART - WIDE) / 2, y + 18, "+", anchor="middle")
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
