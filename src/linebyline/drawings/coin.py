"""Ten tosses of a loaded coin: the most probable sequence is not one that is ever seen."""

from math import comb

from .kit import Canvas, Drawing

HEADS, TOSSES = 0.6, 10
LEFT, STEP, WIDE, HIGH, EACH = 26, 29, 18, 84, 172
LARGER = 40  # of the upper panel


def one_sequence(heads: int, p: float = HEADS, tosses: int = TOSSES) -> float:
    """Return the probability of one sequence with so many heads.

    Example:
        >>> f"{one_sequence(10):.4f} {one_sequence(6):.4f}"
        '0.0060 0.0012'
    """
    return p**heads * (1 - p) ** (tosses - heads)


def all_sequences(heads: int, p: float = HEADS, tosses: int = TOSSES) -> float:
    """Return the probability of all sequences with so many heads together.

    Example:
        >>> f"{all_sequences(10):.4f} {all_sequences(6):.4f}"
        '0.0060 0.2508'
    """
    return comb(tosses, heads) * one_sequence(heads, p, tosses)


def coin() -> Drawing:
    """Draw the probability of one sequence and of all, for each number of heads."""
    canvas = Canvas(2 * EACH + 4)
    single, together = ([f(k) for k in range(TOSSES + 1)] for f in (one_sequence, all_sequences))
    _panel(canvas, 0, f"one sequence (drawn {LARGER} times larger)", single, max(together) / LARGER, 4)
    _panel(canvas, EACH, "all sequences with that many heads", together, max(together), 3)
    return canvas.finish(
        "Ten tosses of a coin that shows heads with probability 0.6",
        "Two bar charts over the number of heads, 0 to 10. Above, the probability of one particular sequence rises"
        f" with every head, from {one_sequence(6):.4f} with 6 to {one_sequence(10):.4f} with 10. Below, that of all"
        f" sequences together is a hill: {all_sequences(6):.2f} at 6 heads, and {all_sequences(10):.2f} at 10.",
    )


def _panel(canvas: Canvas, top: float, title: str, values: list[float], highest: float, digits: int) -> None:
    canvas.text(LEFT - 14, top + 18, title, "bold", "start")
    floor = top + 44 + HIGH
    for heads, value in enumerate(values):
        x, high = LEFT + STEP * heads, HIGH * value / highest
        canvas.add("rect", x=x - WIDE / 2, y=floor - high, width=WIDE, height=high, class_="filled weight")
        if heads in (6, TOSSES):
            room = HIGH * max(values[heads - 1 : heads + 2]) / highest
            canvas.note(x, floor - room - 6, f"{value:.{digits}f}", "bold", "middle")
        canvas.note(x, floor + 17, str(heads), anchor="middle")
    canvas.note(LEFT + STEP * TOSSES / 2, floor + 36, "number of heads", anchor="middle")
    canvas.line((LEFT - 14, floor), (LEFT + STEP * TOSSES + 14, floor), arrow=False)
