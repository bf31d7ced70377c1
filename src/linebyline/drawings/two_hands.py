"""Two clock hands of two heads, at three distances: what each adds to the score, and the sums."""

from math import cos, sin

from .kit import Canvas, Drawing, number

FAST, SLOW, TOP = 1.0, 0.1, 3.0  # speeds in radians for each token, and the angle of the fast hand at its top
HANDS = (("fast hand, both heads", FAST, TOP), ("slow hand, head A", SLOW, 0.3), ("slow hand, head B", SLOW, -1.0))
DISTANCES = 3, 9, 53
COLUMNS, RADIUS, HIGH, FIRST = (92, 192, 292), 27, 112, 58


def added(speed: float, top: float, distance: int) -> float:
    """Return what a hand of length 1 adds to the score of a key at this distance."""
    return cos(speed * distance - top)


def two_hands() -> Drawing:
    """Draw the hands of heads A and B as dials at distances 3, 9 and 53, with the sums of each head below."""
    canvas = Canvas(FIRST + 3 * HIGH + 52)
    canvas.note(4, 20, "distance", "bold")
    for x, distance in zip(COLUMNS, DISTANCES, strict=True):
        canvas.text(x, 20, str(distance), "bold")
    said = []
    for i, (name, speed, top) in enumerate(HANDS):
        y = FIRST + i * HIGH + 32
        canvas.note(4, y - 42, name, "bold")
        for x, distance in zip(COLUMNS, DISTANCES, strict=True):
            angle = speed * distance - top
            canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="off")
            canvas.line((x, y), (x + RADIUS * sin(angle), y - RADIUS * cos(angle)), kind="query", width=3)
            canvas.text(x, y + RADIUS + 17, number(added(speed, top, distance)))
        numbers = [number(added(speed, top, distance)) for distance in DISTANCES]
        said.append(f"the {name} adds {', '.join(numbers)}")
    for i, head in enumerate("AB"):
        y = FIRST + 3 * HIGH + 8 + 26 * i
        canvas.note(4, y, f"sum, {head}", "bold")
        sums = [added(*HANDS[0][1:], n) + added(*HANDS[i + 1][1:], n) for n in DISTANCES]
        for x, total in zip(COLUMNS, sums, strict=True):
            canvas.text(x, y, number(total), "bold")
        said.append(f"the sums of head {head} are {', '.join(number(total) for total in sums)}")
    return canvas.finish(
        "Two clock hands of two heads",
        "Dials with one hand each, for the distances 3, 9 and 53; a hand that points up adds 1, one that points down"
        f" takes 1 away: {'; '.join(said)}.",
    )
