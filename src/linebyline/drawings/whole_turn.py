"""Two keys that are one turn of the fastest hand apart: nearly alike for this hand, nearly opposite for the next."""

import numpy as np

from .clock_hands import clock
from .kit import Canvas, Drawing, number

KEYS, RIGHT = tuple(range(18, 25)), 24
SPEEDS = 10000.0 ** (-np.arange(0, 4, 2) / 32)  # of the two fastest hands, in radians a position
STEP, LEFT, RADIUS, TOP, ROW = 50, 30, 19, 62, 106


def likeness(speed: float, key: int) -> float:
    """Return the cosine of the angle between the hands of a key and of the right key.

    Example:
        >>> [round(float(likeness(speed, key)), 2) for speed in SPEEDS for key in (18, 23)]
        [0.96, 0.54, -0.97, 0.85]
    """
    return float(np.cos(speed * (key - RIGHT)))


def whole_turn() -> Drawing:
    """Draw the two fastest hands at the keys from 18 to 24, and how much each points the way of key 24."""
    canvas, said = Canvas(TOP + 2 * ROW - 8), []
    for i, key in enumerate(KEYS):
        note = {RIGHT: "right", KEYS[0]: "chosen"}.get(key, "")
        canvas.token(LEFT + i * STEP, 40, str(key), 40, "lit" if note else "")
        canvas.note(LEFT + i * STEP, 16, note, anchor="middle")
    for row, (speed, name) in enumerate(zip(SPEEDS, ("fastest hand", "second hand"), strict=True)):
        y = TOP + row * ROW
        canvas.note(LEFT - 20, y + 16, f"{name}: {number(speed)} radian per position", "bold")
        alike = []
        for i, key in enumerate(KEYS):
            angle, x = float(speed * key % (2 * np.pi)), LEFT + i * STEP
            clock(canvas, x, y + 48, np.array([np.sin(angle), np.cos(angle)]), angle, RADIUS, "key")
            alike.append(number(likeness(speed, key)))
            canvas.note(x, y + 88, alike[-1], "weight", "middle")
        said.append(f"{', '.join(alike)} for the {name}")
    return canvas.finish(
        "One turn of the fastest hand",
        "The keys from 18, which is chosen, to 24, which is right, each with its two fastest hands, and below each hand"
        f" the cosine of its angle to that of key 24: {' and '.join(said)}. At the keys 18 and 24 the fastest hand"
        " points almost the same way, and the second hand points almost the opposite way.",
    )
