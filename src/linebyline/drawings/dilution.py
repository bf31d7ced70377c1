"""Dilution: the weight of one key shrinks when there are more keys, although no score has changed."""

from .kit import Canvas, Drawing

LEAD = 9  # how many times the exponential of the right key is as large as that of any other
ROWS = ((4, 1), (10, 1), (100, 1), (100, 4))  # keys, and the factor of all scores
LEFT, WIDE, TOP, STEP = 108.0, 244.0, 20.0, 72.0


def weight(keys: int, factor: int = 1, lead: int = LEAD) -> tuple[int, int]:
    """Return the parts of the right key, and the parts of all keys, each of the others having one.

    Example:
        >>> weight(4), weight(10), weight(100), weight(100, 4)
        ((9, 12), (9, 18), (9, 108), (6561, 6660))
    """
    right = lead**factor
    return right, right + keys - 1


def dilution() -> Drawing:
    """Draw the weight of the right key among 4, 10 and 100 keys, and among 100 with larger scores."""
    canvas, said = Canvas(TOP + (len(ROWS) - 1) * STEP + 66), []
    for row, (keys, factor) in enumerate(ROWS):
        y, (right, whole) = TOP + row * STEP + 12, weight(keys, factor)
        canvas.text(2, y + 5, f"{keys} keys", "bold", "start")
        if factor > 1:
            canvas.note(2, y + 24, f"scores × {factor}", "")
        canvas.bar(LEFT + WIDE / 2, y, right / whole, WIDE, " ")
        canvas.note(LEFT, y + 30, f"{right:,} of {whole:,} parts: {right / whole:.2f}", "weight")
        larger = f", with all scores times {factor}" if factor > 1 else ""
        said.append(f"among {keys} keys{larger}, {right:,} of {whole:,} parts, {right / whole:.2f}")
    return canvas.finish(
        "Dilution",
        f"Bars for the weight of the right key, whose exponential is {LEAD} times as large as that of each other key:"
        f" {'; '.join(said)}.",
    )
