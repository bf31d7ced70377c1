"""A pair of features too slow to come around: the angles that training shows, and one beyond them."""

import numpy as np

from .kit import Canvas, Drawing, number

STEP, TRAINED, FAR, SLOWER = 4, 8, 20, 4  # degrees a position, tokens in training, a distance, how much slower
RADIUS, Y = 50, 92


def slow_pair() -> Drawing:
    """Draw a slow hand at the distances of training, at a longer one, and at the longer one when slowed."""
    canvas, seen = Canvas(206), STEP * (TRAINED - 1)
    hands: tuple[tuple[str, str, list[float]], ...] = (
        ("in training", f"distances 0 to {TRAINED - 1}", [STEP * n for n in range(TRAINED)]),
        (f"distance {FAR}", f"{STEP * FAR}°: never seen", [STEP * FAR]),
        (f"{SLOWER} times slower", f"{number(STEP * FAR / SLOWER)}°: seen", [STEP * FAR / SLOWER]),
    )
    for x, (name, below, angles) in zip((62, 180, 298), hands, strict=True):
        canvas.text(x, 20, name, "bold", size=13)
        canvas.add("circle", cx=x, cy=Y, r=RADIUS, class_="off")
        end = x + RADIUS * np.cos(np.radians(seen)), Y - RADIUS * np.sin(np.radians(seen))
        arc = f"M{x} {Y}L{x + RADIUS} {Y}A{RADIUS} {RADIUS} 0 0 0 {end[0]:.1f} {end[1]:.1f}z"
        canvas.add("path", d=arc, class_="filled weight")
        for angle in angles:
            tip = float(x + RADIUS * np.cos(np.radians(angle))), float(Y - RADIUS * np.sin(np.radians(angle)))
            canvas.line((x, Y), tip, kind="query", arrow=len(angles) == 1, width=3 if len(angles) == 1 else 1)
        canvas.note(x, Y + RADIUS + 22, below, "", "middle")
    canvas.note(180, 198, f"shaded: the angles that training shows, 0° to {seen}°", anchor="middle")
    return canvas.finish(
        "A slow pair of features beyond the length of training",
        f"A hand that turns by {STEP} degrees for each token of distance. In training, with {TRAINED} tokens, its angle"
        f" is 0 to {seen} degrees. At distance {FAR} it is {STEP * FAR} degrees, which training never shows. Made"
        f" {SLOWER} times slower, it is {number(STEP * FAR / SLOWER)} degrees, within what training shows.",
    )
