"""What happens to a target word if a head's favorite source word is hidden: three classes, as bars with counts."""

from typing import Any

from .kit import SMALL, Canvas, Drawing

# Whose row is hidden, and how often the choice is wrong at once, wrong only if the encoder cannot read it either, or
# right in both tests.
CASES = (
    ("linked favorites", (4100, 96, 99)),
    ("unlinked favorites", (97, 46, 134)),
)
CLASSES = (
    ("row needed", 0.55),
    ("only word needed", 0.25),
    ("not needed", 0.0),
)
SHORT = ("row", "only word", "not needed")  # the classes beside small numbers
EXAMPLES = (("flickan", "this"), ("den", "famous"), ("här", "rich"))  # a target word and its favorite
LEFT, WIDE, HIGH, STEP, KEY = 4, 352, 42, 98, 168


def needed() -> Drawing:
    """Draw a bar for each kind of hidden word, cut into the three classes, with an example of each."""
    canvas, said = Canvas(STEP * len(CASES) + 74), []
    for n, (name, strength) in enumerate(CLASSES):  # the key
        x, y = LEFT + KEY * (n % 2), 8.0 + 24 * (n // 2)
        canvas.add("rect", x=x, y=y, width=14, height=14, class_="cell weight", fill_opacity=strength)
        canvas.note(x + 19, y + 12, name, "")
    y = 78.0
    for title, counts in CASES:
        canvas.text(LEFT, y, f"{title} ({sum(counts):,})", "bold", "start", size=13)
        left, small = float(LEFT), list[str]()
        for n, ((_, strength), count) in enumerate(zip(CLASSES, counts, strict=True)):
            wide, part = WIDE * count / sum(counts), f"{count / sum(counts):.0%}"
            place: dict[str, Any] = {"x": left, "y": y + 8, "width": wide, "height": HIGH}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength)
            if wide > 30:
                canvas.text(left + wide / 2, y + 8 + 18, f"{count:,}", "bold", size=13)
                canvas.text(left + wide / 2, y + 8 + 35, part, size=13)
            elif count:
                small.append(f"{SHORT[n]} {count:,} ({part})")
            if title == CASES[1][0]:
                target, favorite = EXAMPLES[n]
                spot: dict[str, Any] = {"x": left + wide / 2 if n else left, "y": y + HIGH + 24}
                words = f'<tspan style="font-style:italic">{target}</tspan> → {favorite}'
                canvas.add("text", words, **spot, text_anchor="middle" if n else "start", style=f"font-size:{SMALL}px")
            left += wide
        at_end = counts[-1] < counts[0]  # the slices that are too small for a number, which is written below them
        canvas.note(LEFT + WIDE * at_end, y + HIGH + 24, ", ".join(small), "", "end" if at_end else "start")
        said.append(f"{title}, {sum(counts):,} cases: {', '.join(f'{count:,}' for count in counts)}")
        y += STEP
    examples = "; ".join(" and ".join(words) for words in EXAMPLES)
    return canvas.finish(
        "What the target words need",
        "Two bars, each cut into three classes: the target word needs the row of the hidden word, needs only the"
        " word, or does not need it."
        f" {'. '.join(said)}. Below the second bar are examples, each a target word and its favorite: {examples}.",
    )
