"""A slow and a fast pair of features in a longer text: the slow one has to be slowed, which spoils the fast one."""

import numpy as np

from .kit import Canvas, Drawing, number

SLOW, FAST = 1, 90  # degrees for each token
TRAINED, FAR, SLOWER = 16, 100, 8  # tokens in training, a distance beyond them, and the factor of interpolation
COLUMNS, RADIUS, HIGH, HEADS = (58, 172, 292), 36, 136, 46


def longer_text() -> Drawing:
    """Draw what training shows of two pairs, the angle at a longer distance, and the same with speeds divided."""
    canvas = Canvas(HEADS + 3 * HIGH + 74)
    heads = ("in", "training"), ("at distance", f"{FAR}"), (f"at {FAR}, speed", f"divided by {SLOWER}")
    for x, head in zip(COLUMNS, heads, strict=True):
        _head(canvas, x, 15, head)
    said = []
    for i, (name, speed) in enumerate((("slow", SLOW), ("fast", FAST))):
        top = HEADS + i * HIGH
        canvas.text(4, top + 14, f"{name} pair, {speed}° per token", "bold", "start")
        seen = sorted({speed * n % 360 for n in range(TRAINED)})
        said.append(
            f"The {name} pair shows {f'0° to {seen[-1]}°' if speed == SLOW else f'{len(seen)} angles'} in training"
        )
        y = top + 68
        _dial(canvas, COLUMNS[0], y, seen)
        canvas.note(COLUMNS[0] + RADIUS + 4, y + 5, "0°")
        words = f"0° to {seen[-1]}°" if speed == SLOW else f"every {FAST}°"
        canvas.note(COLUMNS[0], y + RADIUS + 17, words, "", "middle")
        angles = (speed * FAR % 360, speed * FAR / SLOWER) if speed == SLOW else (speed * FAR % 360,)
        for j, angle in enumerate(angles, 1):
            _dial(canvas, COLUMNS[j], y, seen)
            canvas.line((COLUMNS[j], y), _tip(COLUMNS[j], y, angle, RADIUS + 6), kind="query", width=3)
            known = angle in seen if speed == FAST else angle <= seen[-1]
            words = f"{number(angle)}°, {'shown' if known else 'new'}"
            canvas.note(COLUMNS[j], y + RADIUS + 17, words, "bold", "middle")
            said[-1] += f", {number(angle)} degrees at distance {FAR}{' when slowed' if j == 2 else ''}"
        if len(angles) == 1:
            _head(canvas, COLUMNS[2], y - 2, ("no need to", "slow it down"), "quiet")
    top = HEADS + 2 * HIGH + 10
    canvas.text(4, top + 14, f"fast pair, a head that looks for {FAST}°", "bold", "start")
    for x, back, last, head in (
        (COLUMNS[0], 1, 360 // FAST, ("speed as", "in training")),
        (COLUMNS[2], SLOWER, SLOWER, ("speed", f"divided by {SLOWER}")),
    ):
        y = top + 120
        _head(canvas, x, top + 39, head)
        _dial(canvas, x, y, [])
        for n in range(1, last + 1):
            near, far = (_tip(x, y, FAST / back * n, radius) for radius in (RADIUS - 5, RADIUS + 5))
            canvas.line(near, far, arrow=False)
            if n != back and (back == 1 or n == 1):
                at = _tip(x, y, FAST / back * n, RADIUS + 12)
                canvas.note(at[0], at[1] + 5 - 2 * (back > 1), str(n), "", "middle")
        canvas.line((x, y), _tip(x, y, FAST), kind="query", width=3)
        canvas.note(x + 8, y - RADIUS - 8, str(back), "bold")
        canvas.note(x, y + RADIUS + 34, f"finds {back} back", "bold", "middle")
    return canvas.finish(
        "A slow and a fast pair in a longer text",
        f"Three rows of dials; blue is what training shows, with distances up to {TRAINED - 1}. {'. '.join(said)}. In"
        f" the lowest row a head looks for {FAST} degrees in the fast pair: in training it finds the token 1 back, and"
        f" with its speed divided by {SLOWER} the token {SLOWER} back; small marks show the tokens before.",
    )


def _head(canvas: Canvas, x: float, y: float, lines: tuple[str, str], kind: str = "bold") -> None:
    """Write two lines, such as a column's head."""
    for i, line in enumerate(lines):
        canvas.note(x, y + 16 * i, line, kind, "middle")


def _dial(canvas: Canvas, x: float, y: float, seen: list[int]) -> None:
    """Draw a dial around (x, y) with the angles of training: a sector where they are close, or single spokes."""
    canvas.add("circle", cx=x, cy=y, r=RADIUS, class_="off")
    if len(seen) == TRAINED:
        canvas.add("path", d=_sector(x, y, seen[-1]), class_="filled weight", style="fill-opacity:0.9")
    else:
        for spoke in seen:
            canvas.line((x, y), _tip(x, y, spoke), kind="weight", arrow=False, width=7)


def _tip(x: float, y: float, degrees: float, radius: float = RADIUS) -> tuple[float, float]:
    """Return where a hand at (x, y) ends; it starts on the right and turns counterclockwise."""
    return float(x + radius * np.cos(np.radians(degrees))), float(y - radius * np.sin(np.radians(degrees)))


def _sector(x: float, y: float, degrees: float) -> str:
    """Return the path of a sector from 0 degrees on."""
    end = _tip(x, y, degrees)
    return f"M{x} {y}L{x + RADIUS} {y}A{RADIUS} {RADIUS} 0 0 0 {end[0]:.1f} {end[1]:.1f}z"
