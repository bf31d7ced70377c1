"""Sinusoidal positions as clocks: what the hands show is written down as sines and cosines."""

import math

from clearformer import functional as F

from .kit import Canvas, Drawing, number

RADIUS, CELL = 26, 42
FACES = (80, 144)  # the centers of the fast and of the slow clock
CELLS = (225, 316)  # the centers of what they show
POSITIONS = 3


def clock_hands(base: float = 16.0) -> Drawing:
    """Draw positions 0, 1 and 2 as two clock hands each, with the numbers of ``sinusoidal_encoding``.

    The second hand is slower by the square root of ``base``; with the usual 10,000 it would hardly move.
    """
    speeds = 1.0, base**-0.5  # radians for each position
    encoding = F.sinusoidal_encoding(POSITIONS, 4, base)  # (3, 4)
    canvas = Canvas(334)
    canvas.note(2, 36, "position")
    for name, speed, face, cells in zip(("fast", "slow"), speeds, FACES, CELLS, strict=True):
        canvas.text(face, 18, name, "bold")
        canvas.note(face, 36, f"+ {number(speed)}", anchor="middle")
        canvas.text(cells, 18, name, "bold")
        for side, word in ((-CELL / 2, "sin"), (CELL / 2, "cos")):
            canvas.note(cells + side, 36, word, anchor="middle")
    for p, row in enumerate(encoding):
        y = 76 + 102 * p
        canvas.token(22, y, str(p), 38)
        canvas.note(22, y + RADIUS + 20, "angle", anchor="middle")
        for i, speed in enumerate(speeds):
            right, up = row[2 * i : 2 * i + 2]
            _clock(canvas, FACES[i], y, right, up, p * speed)
            canvas.note(FACES[i], y + RADIUS + 20, number(p * speed), "", "middle")
            canvas.vector(CELLS[i], y, [right, up], top=1, cell=CELL)
    shown = "; ".join(
        f"position {p}: angles {number(p)} and {number(p * speeds[1])}, written as ({', '.join(map(number, row))})"
        for p, row in enumerate(encoding)
    )
    return canvas.finish(
        "Positions as clock hands",
        "Each position has a fast and a slow hand, which both point straight up at position 0 and turn clockwise. How"
        f" far a hand points to the right is the sine of its angle, how far up the cosine. {shown}.",
    )


def _clock(canvas: Canvas, x: float, y: float, right: float, up: float, angle: float) -> None:
    """Draw a clock with one hand, whose tip is ``right`` and ``up`` of its center, and the angle that it has turned."""
    tip = x + RADIUS * right, y - RADIUS * up
    start = f"M{x} {y}L{x} {y - RADIUS}"
    turned = f"{start}A{RADIUS} {RADIUS} 0 {int(angle > math.pi)} 1 {tip[0]:.1f} {tip[1]:.1f}z"
    canvas.add("path", d=turned, class_="cell", fill_opacity=0.15)
    canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="empty")
    canvas.line((x, y), (x + 0.9 * (tip[0] - x), y - 0.9 * (y - tip[1])), width=3)
