"""What happens to a target word if a head's favorite source word is hidden: three classes, as bars of percents."""

from collections.abc import Sequence
from typing import Any

from .kit import Canvas, Drawing

# What is hidden, how often, and of these cases: wrong at once, wrong only if the encoder cannot read it either, right.
CASES = (
    ("favorites on the alignment", (4100, 96, 99)),
    ("favorites off the alignment", (97, 46, 134)),
    ("control: a neighbor of a true word", (3, 11, 233)),
)
CLASSES = (("needs the row", 0.75), ("only the word", 0.35), ("neither", 0.0))
EXAMPLES = ("flickan ← this", "den ← famous", "här ← rich")
LEFT, WIDE, HIGH, STEP = 4, 352, 28, 84


def percents(counts: Sequence[int]) -> list[int]:
    """Return what part of all cases each class is.

    Example:
        >>> percents((97, 46, 134))
        [35, 17, 48]
    """
    return [round(100 * count / sum(counts)) for count in counts]


def needed() -> Drawing:
    """Draw a bar for each kind of hidden word, cut into the three classes, with an example of each class."""
    canvas, said = Canvas(STEP * len(CASES) + 66), []
    x: float = LEFT
    for name, strength in CLASSES:  # the key
        canvas.add("rect", x=x, y=8, width=14, height=14, class_="cell weight", fill_opacity=strength)
        canvas.note(x + 19, 20, name)
        x += 34 + 6.4 * len(name)
    y = 50.0
    for title, counts in CASES:
        canvas.text(LEFT, y, f"{title} ({sum(counts):,})", "bold", "start", size=13)
        left, small = float(LEFT), list[str]()
        for n, ((kind, strength), count, percent) in enumerate(zip(CLASSES, counts, percents(counts), strict=True)):
            wide = WIDE * count / sum(counts)
            place: dict[str, Any] = {"x": left, "y": y + 8, "width": wide, "height": HIGH}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength)
            if percent > 4:
                canvas.text(left + wide / 2, y + 8 + 19, f"{percent}%", "bold", size=13)
            else:
                small.append(f"{kind} {percent}%")
            if title == CASES[1][0]:
                canvas.note(left + wide / 2, y + HIGH + 24 + 17 * (n == 1), EXAMPLES[n], anchor="middle")
            left += wide
        at_end = counts[-1] < counts[0]  # the slices that are too small for a number, which is written below them
        canvas.note(LEFT + WIDE * at_end, y + HIGH + 24, ", ".join(small), anchor="end" if at_end else "start")
        said.append(f"{title}, {sum(counts):,} cases: {', '.join(f'{p} percent' for p in percents(counts))}")
        y += STEP + (16 if title == CASES[1][0] else 0)
    return canvas.finish(
        "What the target words need",
        "Three bars, each cut into three classes: the target word needs the row of the hidden word, needs only the"
        f" word, or neither. {'. '.join(said)}. Below the second bar is an example of each class:"
        f" {'; '.join(EXAMPLES)}.",
    )
