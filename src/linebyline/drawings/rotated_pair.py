"""Rotary positions with one pair of features: a query and a key, turned to the positions of their words."""

import numpy as np

from .kit import Canvas, Drawing, number

QUERY, KEY, STEP = np.array([2.0, 0.0]), np.array([1.0, 1.0]), 30  # of *loves*, of *Dan*, and degrees a position
PLACES = ((1, 0), (4, 3), (4, 0))  # of the query and of the key
CENTERS, RADIUS, UNIT = (60, 180, 300), 55, 27


def rotated_pair() -> Drawing:
    """Draw *Dan loves* at two places, and with three words between, as the angles between query and key."""
    canvas, said = Canvas(252), []
    for x, places in zip(CENTERS, PLACES, strict=True):
        for i, (word, place) in enumerate(zip(("Dan", "loves"), reversed(places), strict=True)):
            middle = x - 29 + 58 * i
            canvas.token(middle, 18, word, 53)
            canvas.note(middle, 48, str(place), anchor="middle")
        turned = [rotated(vector, place) for vector, place in zip((QUERY, KEY), places, strict=True)]
        _circle(canvas, x, 122, turned)
        between = np.degrees(_angle(turned[1]) - _angle(turned[0]))
        score = turned[0] @ turned[1]
        canvas.note(x, 202, f"{abs(between):.0f}° apart", "", "middle")
        canvas.text(x, 228, f"score {number(score)}", "bold")
        at = f"loves at position {places[0]} and Dan at position {places[1]}"
        said.append(f"With {at} they are {abs(between):.0f} degrees apart, and the score is {number(score)}")
    canvas.note(4, 248, "solid: query of loves", "query")
    canvas.note(356, 248, "dashed: key of Dan", "key", "end")
    return canvas.finish(
        "A query and a key, rotated by their positions",
        f"The query (2, 0) of loves and the key (1, 1) of Dan are rotated counterclockwise, each by {STEP} degrees"
        f" for each position. {'. '.join(said)}.",
    )


def rotated(vector: np.ndarray, position: float) -> np.ndarray:
    """Turn a pair of features counterclockwise, by as much for each position."""
    cos, sin = np.cos(np.radians(position * STEP)), np.sin(np.radians(position * STEP))
    turned: np.ndarray = np.array([[cos, -sin], [sin, cos]]) @ vector
    return turned


def _angle(vector: np.ndarray) -> float:
    return float(np.arctan2(vector[1], vector[0]))


def _circle(canvas: Canvas, x: float, y: float, turned: list[np.ndarray]) -> None:
    """Draw a query and a key as hands on a circle, and the angle between them."""
    canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="off")
    points = [(x + 24 * np.cos(angle), y - 24 * np.sin(angle)) for angle in map(_angle, turned)]
    (x0, y0), (x1, y1) = points
    turn = (_angle(turned[1]) - _angle(turned[0])) % (2 * np.pi)
    arc = f"M{x} {y}L{x0:.1f} {y0:.1f}A24 24 0 0 {int(turn > np.pi)} {x1:.1f} {y1:.1f}z"
    canvas.add("path", d=arc, class_="filled weight")
    for vector, role in zip(turned, ("query", "key"), strict=True):
        tip = (float(x + UNIT * vector[0]), float(y - UNIT * vector[1]))
        canvas.line((x, y), tip, kind=role, width=3)
        if role == "key":
            canvas.parts[-2] = canvas.parts[-2].replace("stroke-width", "stroke-dasharray:6 4;stroke-width")
