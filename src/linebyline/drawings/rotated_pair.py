"""Rotary positions with one pair of features: a query and a key, turned to the positions of their words."""

import numpy as np

from .kit import Canvas, Drawing, number

QUERY, KEY, STEP = np.array([2.0, 0.0]), np.array([1.0, 1.0]), 30  # of *loves*, of *Dan*, and degrees a position
PLACES = ((0, 0), (1, 0), (4, 3), (4, 0))  # of the query and of the key; the first is before the rotation
COLUMNS, HIGH, RADIUS, UNIT, WEDGE = (90, 270), 226, 56, 26, 38
WIDTHS, SLOTS, GAP = {"Dan": 44, "loves": 56}, 5, 4  # of the words; places in a text, and pixels between them


def rotated_pair() -> Drawing:
    """Draw *Dan loves* before the rotation, at two places, and with three words between, as angles."""
    canvas, said = Canvas(2 * HIGH + 18), []
    for i, (t, s) in enumerate(PLACES):
        x, y = COLUMNS[i % 2], HIGH * (i // 2)
        if i:
            _text(canvas, x, y + 18, {s: "Dan", t: "loves"})
            at = f"With loves at position {t} and Dan at position {s}"
        else:
            canvas.text(x, y + 23, "before the rotation")
            at = "Before the rotation"
        query, key = rotated(QUERY, t), rotated(KEY, s)
        _circle(canvas, x, y + 116, [query, key])
        canvas.text(x - 8, y + 193, tip(query), "query", "end", 13)
        canvas.text(x, y + 193, "·")
        canvas.text(x + 8, y + 193, tip(key), "key", "start", 13)
        between, score = abs(np.degrees(_angle(key) - _angle(query))), number(query @ key)
        canvas.text(x, y + 213, f"{between:.0f}° apart, score {score}", "bold", size=14)
        said.append(f"{at} they are {tip(query)} and {tip(key)}, {between:.0f} degrees apart, and the score is {score}")
    canvas.note(4, 2 * HIGH + 13, "solid: query of loves", "query")
    canvas.note(356, 2 * HIGH + 13, "dashed: key of Dan", "key", "end")
    return canvas.finish(
        "A query and a key, rotated by their positions",
        f"The query of loves and the key of Dan are rotated counterclockwise, each by {STEP} degrees for each position."
        f" {'. '.join(said)}.",
    )


def rotated(vector: np.ndarray, position: float) -> np.ndarray:
    """Turn a pair of features counterclockwise, by as much for each position."""
    cos, sin = np.cos(np.radians(position * STEP)), np.sin(np.radians(position * STEP))
    turned: np.ndarray = np.array([[cos, -sin], [sin, cos]]) @ vector
    return turned


def tip(vector: np.ndarray) -> str:
    """Return where an arrow ends."""
    return f"({number(vector[0])}, {number(vector[1])})"


def _angle(vector: np.ndarray) -> float:
    return float(np.arctan2(vector[1], vector[0]))


def _text(canvas: Canvas, x: float, y: float, words: dict[int, str]) -> None:
    """Draw the places of a text, with words in two of them and their positions below."""
    widths = [WIDTHS.get(words.get(slot, ""), 16) for slot in range(SLOTS)]
    left = x - (sum(widths) + GAP * (SLOTS - 1)) / 2
    for slot, width in enumerate(widths):
        if slot in words:
            canvas.token(left + width / 2, y, words[slot], width)
            canvas.note(left + width / 2, y + 29, str(slot), anchor="middle")
        else:
            canvas.add("rect", x=left, y=y - 8, width=width, height=16, rx=8, class_="off")
        left += width + GAP


def _circle(canvas: Canvas, x: float, y: float, turned: list[np.ndarray]) -> None:
    """Draw a query and a key as hands on a circle, and the angle between them."""
    canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="off")
    points = [(x + WEDGE * np.cos(angle), y - WEDGE * np.sin(angle)) for angle in map(_angle, turned)]
    (x0, y0), (x1, y1) = points
    counterclockwise = (_angle(turned[1]) - _angle(turned[0])) % (2 * np.pi) < np.pi
    sweep = int(not counterclockwise)
    arc = f"M{x} {y}L{x0:.1f} {y0:.1f}A{WEDGE} {WEDGE} 0 0 {sweep} {x1:.1f} {y1:.1f}z"
    canvas.add("path", d=arc, class_="filled weight")
    for vector, role in zip(turned, ("query", "key"), strict=True):
        end = (float(x + UNIT * vector[0]), float(y - UNIT * vector[1]))
        canvas.line((x, y), end, kind=role, width=3)
        if role == "key":
            canvas.parts[-2] = canvas.parts[-2].replace("stroke-width", "stroke-dasharray:6 4;stroke-width")
