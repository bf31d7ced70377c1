"""The ramp between slow and fast pairs: a pair keeps more of its speed the more turns it makes in a training text."""

from fractions import Fraction

from .kit import Canvas, Drawing, number
from .longer_text import SLOWER, TRAINED

SPEEDS = (1, 45, 90)  # degrees for each token, of three pairs
FEW, MANY = 1, 4  # turns in a training text: the thresholds
BORDER = 2  # turns: a sharp border, which the ramp avoids
BELOW = 44  # degrees for each token, of a pair just below the sharp border
LEFT, TURN, LAST = 50, 56, 5  # where the axis begins, the width of a turn, and how many are shown
ALL, NONE = 56, 224  # the heights of a speed that is kept and of one that is divided
PLACES = ((6, -74), (14, 12), (6, 24))  # of the words, seen from the dots


def slowed(speed: float) -> tuple[float, float, float]:
    """Return the turns of a pair in a training text, the part of its speed that it keeps, and its new speed."""
    turns = TRAINED * speed / 360
    part = min(1.0, max(0.0, (turns - FEW) / (MANY - FEW)))
    return turns, part, speed * (part + (1 - part) / SLOWER)


def ramp() -> Drawing:
    """Draw the part of the speed that is kept, against turns, with three pairs on it."""
    canvas, said = Canvas(280), []
    right = LEFT + LAST * TURN
    canvas.note(4, 18, "part of the speed that is kept", "")
    for height, words in ((ALL, "all"), (NONE, "none")):
        canvas.note(LEFT - 8, height + 5, words, anchor="end")
    canvas.line((LEFT, NONE + 8), (LEFT, 30), arrow=False)
    canvas.line((LEFT, NONE + 8), (right, NONE + 8), arrow=False)
    for tick in range(LAST + 1):
        at = LEFT + tick * TURN
        canvas.line((at, NONE + 8), (at, NONE + 13), arrow=False)
        canvas.note(at, NONE + 28, str(tick), "bold" if tick in (FEW, MANY) else "quiet", "middle")
    canvas.note((LEFT + right) / 2, NONE + 48, "turns in a training text", "", "middle")
    border = LEFT + BORDER * TURN
    canvas.add("path", d=f"M{LEFT} {NONE}H{border}V{ALL}H{right}", class_="off")
    below = LEFT + slowed(BELOW)[0] * TURN
    canvas.add("circle", cx=below, cy=NONE, r=5, class_="off")
    canvas.note(border + 9, NONE - 8, f"border: {BELOW}° → {number(BELOW / SLOWER)}°", "")
    corners = ((LEFT, NONE), (LEFT + FEW * TURN, NONE), (LEFT + MANY * TURN, ALL), (right, ALL))
    canvas.line(*corners, kind="weight", arrow=False, width=3)
    for speed, (right_by, down_by) in zip(SPEEDS, PLACES, strict=True):
        turns, part, new = slowed(speed)
        x, y = LEFT + turns * TURN, NONE + part * (ALL - NONE)
        if 0 < part < 1:
            canvas.line((LEFT, y), (x, y), arrow=False, width=1)
            canvas.note(LEFT - 8, y + 5, str(Fraction(part).limit_denominator(9)), anchor="end")
        if part == 0:  # a line to the words, which are away from the ramp
            canvas.line((x + 3, y - 6), (x + 16, y - 69), kind="query", arrow=False, width=1)
        canvas.add("circle", cx=x, cy=y, r=6, class_="head query")
        canvas.note(x + right_by, y + down_by, f"{speed}° → {new:g}°", "query")
        said.append(f"The pair of {speed} degrees makes {number(turns)} turns, and its new speed is {new:g} degrees.")
    return canvas.finish(
        "The ramp between slow and fast pairs",
        f"A line shows the part of its speed that a pair keeps, against its turns in a training text: none up to {FEW}"
        f" turn, all from {MANY} turns on, and a straight slope between. A dashed step at"
        f" {BORDER} turns is a sharp border, which would slow a pair of {BELOW} degrees to {number(BELOW / SLOWER)}."
        f" Three pairs are on it. {' '.join(said)}",
    )
