"""Four weights rounded to four bits, and the same with one large weight among them."""

import numpy as np

from .kit import Canvas, Drawing, number

WEIGHTS, LARGE = (-0.7, -0.2, 0.35, 0.9), 9.0  # the large one takes the place of the last
CODES = 7  # the largest code of four bits
MIDDLE, SPACING, HIGH = 180, 23, 138
RULER = 0.5  # a distance between weights, drawn to scale for each group


def codes_of(weights: tuple[float, ...]) -> tuple[float, np.ndarray]:
    """Return the step of a group of weights, and their codes."""
    step = max(map(abs, weights)) / CODES
    return step, np.rint(np.array(weights) / step).astype(int)


def four_bits() -> Drawing:
    """Draw two groups of weights above the codes that they are rounded to."""
    canvas, said = Canvas(2 * HIGH), []
    for i, weights in enumerate((WEIGHTS, (*WEIGHTS[:-1], LARGE))):
        top = i * HIGH
        step, codes = codes_of(weights)
        canvas.text(4, top + 18, f"step {step:.3g}", "bold", "start")
        line = top + 76
        canvas.line((MIDDLE - CODES * SPACING - 8, line), (MIDDLE + CODES * SPACING + 8, line), arrow=False)
        for code in range(-CODES, CODES + 1):
            x = MIDDLE + code * SPACING
            canvas.line((x, line - 5), (x, line + 5), arrow=False)
            used = code in codes
            canvas.note(x, line + 22, number(code), "bold" if used else "quiet", "middle")
        for weight, code in zip(weights, codes, strict=True):
            place = float(MIDDLE + weight / step * SPACING)
            canvas.add("circle", cx=place, cy=line - 26, r=4, class_="filled weight")
            canvas.line((place, line - 22), (MIDDLE + int(code) * SPACING, line - 7), kind="weight")
        if i:
            small = ", ".join(map(number, weights[:-1]))
            canvas.note(MIDDLE, line - 36, small, "", "middle")
            canvas.note(MIDDLE + CODES * SPACING, line - 36, number(weights[-1]), "", "middle")
        else:
            for weight in weights:
                canvas.note(MIDDLE + weight / step * SPACING, line - 36, number(weight), "", "middle")
        back = ", ".join(map(number, codes * step))
        canvas.note(356, top + 126, f"codes times step: {back}", "", "end")
        _ruler(canvas, top + 18, RULER / step * SPACING)
        said.append(f"with the step {step:.3g} the codes are {', '.join(map(str, codes))}, which mean {back}")
    return canvas.finish(
        "Four weights in four bits",
        f"Above an axis of the codes from -7 to 7, the weights {', '.join(map(number, WEIGHTS))} are rounded:"
        f" {said[0]}. With {number(LARGE)} in place of the last weight, {said[1]}: two of the weights have become 0.",
    )


def _ruler(canvas: Canvas, y: float, length: float) -> None:
    """Draw how long the distance ``RULER`` is between two weights."""
    end = 356.0
    canvas.line((end - length, y - 4), (end, y - 4), arrow=False, width=2)
    for x in (end - length, end):
        canvas.line((x, y - 9), (x, y + 1), arrow=False)
    canvas.note(end - length - 8, y, f"a distance of {number(RULER)}", "", "end")
