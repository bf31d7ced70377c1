"""Four weights rounded to four bits, and the same with one large weight among them."""

import numpy as np

from .kit import Canvas, Drawing, number

WEIGHTS, LARGE = (-0.7, -0.2, 0.35, 0.9), 9.0  # the large one takes the place of the last
CODES = 7  # the largest code of four bits
MIDDLE, SPACING, HIGH = 180, 23, 140


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
            canvas.add("circle", cx=place, cy=line - 26, r=3, class_="filled weight")
            canvas.line((place, line - 22), (MIDDLE + int(code) * SPACING, line - 7), kind="weight")
        if i:
            small = ", ".join(map(number, weights[:-1]))
            canvas.note(MIDDLE, line - 36, small, "", "middle")
            canvas.note(MIDDLE + CODES * SPACING, line - 36, number(weights[-1]), "", "middle")
        else:
            for weight in weights:
                canvas.note(MIDDLE + weight / step * SPACING, line - 36, number(weight), "", "middle")
        for code in sorted({*map(int, codes)}):
            x = MIDDLE + code * SPACING - (7 if code + 1 in codes else 0)  # neighbors must not touch
            canvas.note(x, line + 42, number(code * step), "weight", "middle")
        back = ", ".join(map(number, codes * step))
        said.append(f"with the step {step:.3g} the codes are {', '.join(map(str, codes))}, which mean {back}")
    return canvas.finish(
        "Four weights in four bits",
        f"Above an axis of the codes from -7 to 7, the weights {', '.join(map(number, WEIGHTS))} are rounded:"
        f" {said[0]}. With {number(LARGE)} in place of the last weight, {said[1]}: two of the weights have become 0.",
    )
