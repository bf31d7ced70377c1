"""A slow and a fast pair of features in a longer text: the slow one has to be slowed, which spoils the fast one."""

import numpy as np

from .kit import Canvas, Drawing, number

SLOW, FAST = 1, 90  # degrees for each token
TRAINED, FAR, SLOWER = 16, 100, 8  # tokens in training, a distance beyond them, and the factor of interpolation
COLUMNS, RADIUS, HIGH = (58, 172, 292), 44, 182


def longer_text() -> Drawing:
    """Draw a slow and a fast hand as training shows them, at a longer distance, and with their speeds divided."""
    canvas, seen = Canvas(2 * HIGH + 12), SLOW * (TRAINED - 1)
    spokes = sorted({FAST * n % 360 for n in range(TRAINED)})
    far, slowed = SLOW * FAR, SLOW * FAR / SLOWER
    rows: tuple[tuple[str, tuple[tuple[list[float], str, str], ...]], ...] = (
        (
            f"slow pair: {SLOW}° per token",
            (
                ([], "in training:", f"0° to {seen}°"),
                ([far], f"distance {FAR}:", f"{far}°, outside"),
                ([slowed], f"{SLOWER} times slower:", f"{number(slowed)}°, inside"),
            ),
        ),
        (
            f"fast pair: {FAST}° per token",
            (
                ([FAST], "in training:", f"{FAST}° is 1 back"),
                ([FAST * FAR % 360], f"distance {FAR}:", f"{FAST * FAR % 360}°, shown"),
                ([FAST], f"{SLOWER} times slower:", f"{FAST}° is {SLOWER} back"),
            ),
        ),
    )
    for i, (title, dials) in enumerate(rows):
        top = 6 + i * HIGH
        canvas.text(4, top + 16, title, "bold", "start")
        for x, (angles, above, below) in zip(COLUMNS, dials, strict=True):
            y = top + 78
            canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="off")
            spoiled = i and below.endswith(f"{SLOWER} back")
            canvas.note(x + RADIUS + 4, y + (14 if spoiled else 5), "0°")
            for back in range(1, SLOWER + 1) if spoiled else ():
                near, far_ = (_tip(x, y, FAST / SLOWER * back, radius) for radius in (RADIUS - 5, RADIUS + 5))
                canvas.line(near, far_, arrow=False)
                if back in (1, SLOWER):
                    at = _tip(x, y, FAST / SLOWER * back, RADIUS + 13)
                    canvas.note(at[0], at[1] + (2 if back == SLOWER else 4), str(back), "", "middle")
            if i:
                for spoke in spokes:
                    canvas.line((x, y), _tip(x, y, spoke), kind="weight", arrow=False, width=4)
            else:
                canvas.add("path", d=_sector(x, y, seen), class_="filled weight")
            for angle in angles:
                canvas.line((x, y), _tip(x, y, angle), kind="query", width=3)
            canvas.note(x, top + 141, above, "", "middle")
            canvas.note(x, top + 158, below, "bold", "middle")
    return canvas.finish(
        "A slow and a fast pair in a longer text",
        f"Two rows of dials; blue is what training shows, with distances up to {TRAINED - 1}. A slow hand turns by"
        f" {SLOW} degree per token and shows 0 to {seen} degrees. At distance {FAR} it is at {far} degrees, outside"
        f" this range; {SLOWER} times slower it is at {number(slowed)}, inside. A fast hand turns by {FAST} degrees"
        f" and shows only {', '.join(map(str, spokes))} degrees; the token one place back is at {FAST}. At distance"
        f" {FAR} it is at {FAST * FAR % 360} degrees, which training shows. {SLOWER} times slower, the token at {FAST}"
        f" degrees is the one {SLOWER} places back; small marks show the tokens 1 to {SLOWER} places back.",
    )


def _tip(x: float, y: float, degrees: float, radius: float = RADIUS) -> tuple[float, float]:
    """Return where a hand at (x, y) ends; it starts on the right and turns counterclockwise."""
    return float(x + radius * np.cos(np.radians(degrees))), float(y - radius * np.sin(np.radians(degrees)))


def _sector(x: float, y: float, degrees: float) -> str:
    """Return the path of a sector from 0 degrees on."""
    end = _tip(x, y, degrees)
    return f"M{x} {y}L{x + RADIUS} {y}A{RADIUS} {RADIUS} 0 0 0 {end[0]:.1f} {end[1]:.1f}z"
