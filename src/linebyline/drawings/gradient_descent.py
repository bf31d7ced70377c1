"""Gradient descent on the loss of one logit, with a learning rate that is too small, right, and too large."""

from itertools import pairwise

import numpy as np

from .kit import Canvas, Drawing

# In "banana bandana" four of the five letters a are followed by n. The other four logits stay 0.
FRACTION, OTHERS = 0.8, 4
RATES = {0.5: "too small", 4.0: "about right", 20.0: "too large"}
STEPS = 5
LEFT, RIGHT, LOWEST, HIGHEST = -1.2, 12.8, 0.6, 2.9
X, WIDE, HIGH, EACH = 30, 318, 92, 142  # the left edge, the width and height of a curve, the distance to the next


def loss(z: float | np.ndarray) -> float | np.ndarray:
    """Return the mean surprise at what follows an a, in nats, when the logit of n is ``z``.

    Example:
        >>> f"{loss(0.0):.3f} {loss(np.log(16)):.3f}"
        '1.609 0.778'
    """
    result: float | np.ndarray = np.log(OTHERS + np.exp(z)) - FRACTION * z
    return result


def slope(z: float) -> float:
    """Return the derivative of the loss: the probability of n, minus the fraction of n in the text.

    Example:
        >>> round(slope(0.0), 3)
        -0.6
    """
    return float(np.exp(z) / (OTHERS + np.exp(z)) - FRACTION)


def path(rate: float, steps: int = STEPS) -> list[float]:
    """Return the logit at the start, 0, and after each step.

    Example:
        >>> [round(z, 2) for z in path(4.0, 2)]
        [0.0, 2.4, 2.67]
    """
    found = [0.0]
    for _ in range(steps):
        found.append(found[-1] - rate * slope(found[-1]))
    return found


def gradient_descent() -> Drawing:
    """Draw the steps of three learning rates on one curve each."""
    canvas = Canvas(3 * EACH + 46)
    for number, (rate, words) in enumerate(RATES.items()):
        _panel(canvas, number * EACH, rate, words)
    canvas.line((X, 3 * EACH + 2), (X + WIDE, 3 * EACH + 2))
    for tick in range(0, 13, 2):
        x, _ = _place(0, tick)
        canvas.line((x, 3 * EACH - 2), (x, 3 * EACH + 6), arrow=False)
        canvas.text(x, 3 * EACH + 21, str(tick))
    canvas.note(X, 3 * EACH + 39, "logit of ‘n’ after ‘a’: starts at 0, best at 2.77")
    ends = {rate: loss(path(rate)[-1]) for rate in RATES}
    return canvas.finish(
        "Gradient descent with three learning rates",
        f"The loss as a function of one logit is a valley, lowest at 2.77. From 0, {STEPS} steps with rate 0.5"
        f" creep downhill to a loss of {ends[0.5]:.2f}. Steps with rate 4 are at the lowest point, {ends[4.0]:.2f},"
        f" after two or three. With rate 20, the first step jumps across the valley to a logit of 12, three more come"
        f" back to 1.36, and the fifth jumps across again, to a loss of {ends[20.0]:.2f}: they never settle.",
    )


def _place(top: float, z: float) -> tuple[float, float]:
    """The place of a point of the curve on the canvas."""
    x = X + (z - LEFT) / (RIGHT - LEFT) * WIDE
    return x, top + 30 + (HIGHEST - float(loss(z))) / (HIGHEST - LOWEST) * HIGH


def lerp(a: float, b: float, t: float) -> float:
    """Return the number that is the fraction ``t`` of the way from ``a`` to ``b``."""
    return a + t * (b - a)


def _panel(canvas: Canvas, top: float, rate: float, words: str) -> None:
    canvas.text(X, top + 18, f"rate {rate:g}: {words}", "bold", "start")
    curve = [_place(top, z) for z in np.linspace(LEFT, RIGHT, 60)]
    canvas.line(*curve, arrow=False)
    canvas.line((X, top + 30), (X, top + 30 + HIGH), arrow=False)
    canvas.note(X - 4, top + 38, "loss", anchor="end")
    for tick in (1, 2):
        y = top + 30 + (HIGHEST - tick) / (HIGHEST - LOWEST) * HIGH
        canvas.line((X - 4, y), (X, y), arrow=False)
        canvas.text(X - 8, y + 5, str(tick), anchor="end")
    low = _place(top, float(np.log(16)))
    canvas.line((low[0], top + 30), low, arrow=False, kind="off")
    places = [_place(top, z) for z in path(rate)]
    for here, there in pairwise(places):
        far = np.hypot(there[0] - here[0], there[1] - here[1])
        bow = min(30, far / 8)  # a long step bows away from the curve
        times = np.linspace(0, 1, 13 if far > 20 else 2)
        points = [(lerp(here[0], there[0], t), lerp(here[1], there[1], t) - 4 * bow * t * (1 - t)) for t in times]
        canvas.line(*points, kind="weight", arrow=bool(far > 20))
    for number, (x, y) in enumerate(places):
        if number in (0, STEPS) or abs(x - places[number - 1][0]) > 20:  # where there is room
            aside, down = -5 if number == STEPS and rate > 4 else 5 * (number > 1), 20
            if number == STEPS and abs(x - places[1][0]) < 20:  # right of the dashed line, clear of the first step
                aside, down = 10, -8
            canvas.text(x + aside, y + down, str(number), "bold")
        canvas.add("circle", cx=x, cy=y, r=5 if number == 0 else 3.5, class_="plus" if number == 0 else "filled weight")
    end = float(loss(path(rate)[-1]))
    canvas.note(X + WIDE, top + 18, f"loss {loss(0.0):.2f} → {end:.2f}", anchor="end")
