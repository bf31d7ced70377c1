"""What happens to a target word if a head's favorite source word is hidden: four classes, as bars with percentages."""

from typing import Any

from .kit import Canvas, Drawing

# What is hidden, and how often the choice is wrong at once, wrong only if the encoder cannot read it either, or right
# although the probability falls by 0.1 or more in one of the two tests, or right with about the same probability.
CASES = (
    ("favorites that are true words", (4100, 96, 73, 26)),
    ("other favorites", (97, 46, 59, 75)),
    ("other favorites, value set to zero", (69, 47, 104, 57)),
)
CLASSES = (
    ("needs the row", 0.55),
    ("needs only the word", 0.32),
    ("right, but less likely", 0.12),
    ("not needed at all", 0.0),
)
EXAMPLES = ("flickan ← this", "den ← famous", "", "här ← rich")
LEFT, WIDE, HIGH, STEP, KEY = 4, 352, 28, 84, 168


def needed() -> Drawing:
    """Draw a bar for each kind of hidden word, cut into the four classes, with examples of three of them."""
    canvas, said = Canvas(STEP * len(CASES) + 78), []
    for n, (name, strength) in enumerate(CLASSES):  # the key
        x, y = LEFT + KEY * (n % 2), 8.0 + 24 * (n // 2)
        canvas.add("rect", x=x, y=y, width=14, height=14, class_="cell weight", fill_opacity=strength)
        canvas.note(x + 19, y + 12, name, "")
    y = 78.0
    for title, counts in CASES:
        canvas.text(LEFT, y, f"{title} ({sum(counts):,})", "bold", "start", size=13)
        left, small = float(LEFT), list[str]()
        for n, ((_, strength), count) in enumerate(zip(CLASSES, counts, strict=True)):
            wide, percent = WIDE * count / sum(counts), f"{100 * count / sum(counts):.0f}%"
            place: dict[str, Any] = {"x": left, "y": y + 8, "width": wide, "height": HIGH}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength)
            if wide > 30:
                canvas.text(left + wide / 2, y + 8 + 19, percent, "bold", size=13)
            elif count:
                small.append(percent)
            if title == CASES[1][0]:
                canvas.note(left + wide / 2, y + HIGH + 24 + 17 * (n == 1), EXAMPLES[n], "", "middle")
            left += wide
        at_end = counts[-1] < counts[0]  # the slices that are too small for a number, which is written below them
        canvas.note(LEFT + WIDE * at_end, y + HIGH + 24, ", ".join(small), "", "end" if at_end else "start")
        said.append(f"{title}, {sum(counts):,} cases: {', '.join(f'{count:,}' for count in counts)}")
        y += STEP + (16 if title == CASES[1][0] else 0)
    examples = "; ".join(filter(None, EXAMPLES))
    return canvas.finish(
        "What the target words need",
        "Three bars, each cut into four classes: the target word needs the row of the hidden word, needs only the"
        " word, does not need it although its probability falls, or does not need it at all."
        f" {'. '.join(said)}. Below the second bar are examples of the first, second and last class: {examples}.",
    )
