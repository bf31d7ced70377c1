"""What happens to a target word if a head's favorite source word is hidden: three classes, as bars with counts."""

from typing import Any

from .kit import Canvas, Drawing

# What is hidden, and how often the choice is wrong at once, wrong only if the encoder cannot read it either, or right.
CASES = (
    ("favorites that are true words", (4100, 96, 99)),
    ("other favorites", (97, 46, 134)),
    ("control: no head's favorite", (0, 5, 272)),
)
CLASSES = (("needs the row", 0.5), ("only the word", 0.22), ("neither", 0.0))
EXAMPLES = ("flickan ← this", "den ← famous", "här ← rich")
LEFT, WIDE, HIGH, STEP = 4, 352, 28, 84


def needed() -> Drawing:
    """Draw a bar for each kind of hidden word, cut into the three classes, with an example of each class."""
    canvas, said = Canvas(STEP * len(CASES) + 66), []
    x: float = LEFT
    for name, strength in CLASSES:  # the key
        canvas.add("rect", x=x, y=8, width=14, height=14, class_="cell weight", fill_opacity=strength)
        canvas.note(x + 19, 20, name, "")
        x += 34 + 6.4 * len(name)
    y = 50.0
    for title, counts in CASES:
        canvas.text(LEFT, y, f"{title} ({sum(counts):,})", "bold", "start", size=13)
        left, small = float(LEFT), list[str]()
        for n, ((kind, strength), count) in enumerate(zip(CLASSES, counts, strict=True)):
            wide = WIDE * count / sum(counts)
            place: dict[str, Any] = {"x": left, "y": y + 8, "width": wide, "height": HIGH}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength)
            if wide > 30:
                canvas.text(left + wide / 2, y + 8 + 19, f"{count:,}", "bold", size=13)
            else:
                small.append(f"{kind}: {count}")
            if title == CASES[1][0]:
                canvas.note(left + wide / 2, y + HIGH + 24 + 17 * (n == 1), EXAMPLES[n], "", "middle")
            left += wide
        at_end = counts[-1] < counts[0]  # the slices that are too small for a number, which is written below them
        canvas.note(LEFT + WIDE * at_end, y + HIGH + 24, ", ".join(small), "", "end" if at_end else "start")
        said.append(f"{title}, {sum(counts):,} cases: {', '.join(f'{count:,}' for count in counts)}")
        y += STEP + (16 if title == CASES[1][0] else 0)
    return canvas.finish(
        "What the target words need",
        "Three bars, each cut into three classes: the target word needs the row of the hidden word, needs only the"
        f" word, or neither. {'. '.join(said)}. Below the second bar is an example of each class:"
        f" {'; '.join(EXAMPLES)}.",
    )
