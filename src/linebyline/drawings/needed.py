"""What happens to a target word if a head's favorite source word is hidden: four classes, as bars with counts."""

from typing import Any

from .kit import SMALL, Canvas, Drawing

# Whose row is hidden, and how often the choice is wrong at once, wrong only if the encoder cannot read it either, or
# right although the probability falls by 0.1 or more in one of the two tests, or right with about the same probability.
CASES = (
    ("linked favorites", (4100, 96, 73, 26)),
    ("unlinked favorites", (97, 46, 59, 75)),
)
CLASSES = (
    ("row needed", 0.55),
    ("only word needed", 0.25),
    ("helps", 0.0),  # hatched
    ("not needed", 0.0),
)
SHORT = ("row", "only word", "helps", "not needed")  # the classes beside small numbers
HATCHED, HATCH = 2, 6  # which class has slanted lines, and how far apart they are
EXAMPLES = (("flickan", "this"), ("den", "famous"), ("", ""), ("här", "rich"))  # a target word and its favorite
LEFT, WIDE, HIGH, STEP, KEY = 4, 352, 28, 84, 168


def needed() -> Drawing:
    """Draw a bar for each kind of hidden word, cut into the four classes, with examples of three of them."""
    canvas, said = Canvas(STEP * len(CASES) + 74), []
    for n, (name, strength) in enumerate(CLASSES):  # the key
        x, y = LEFT + KEY * (n % 2), 8.0 + 24 * (n // 2)
        canvas.add("rect", x=x, y=y, width=14, height=14, class_="cell weight", fill_opacity=strength)
        if n == HATCHED:
            _hatch(canvas, x, y, 14, 14)
        canvas.note(x + 19, y + 12, name, "")
    y = 78.0
    for title, counts in CASES:
        canvas.text(LEFT, y, f"{title} ({sum(counts):,})", "bold", "start", size=13)
        left, small = float(LEFT), list[str]()
        for n, ((_, strength), count) in enumerate(zip(CLASSES, counts, strict=True)):
            wide, written = WIDE * count / sum(counts), f"{count:,}"
            place: dict[str, Any] = {"x": left, "y": y + 8, "width": wide, "height": HIGH}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength)
            if n == HATCHED:
                _hatch(canvas, left, y + 8, wide, HIGH)
            if wide > 30:
                if n == HATCHED:  # the number is on plain paper
                    canvas.add(
                        "rect",
                        x=left + wide / 2 - 12,
                        y=y + 13,
                        width=24,
                        height=18,
                        rx=4,
                        class_="plus",
                        style="stroke:none",
                    )
                canvas.text(left + wide / 2, y + 8 + 19, written, "bold", size=13)
            elif count:
                small.append(f"{SHORT[n]} {written}")
            if title == CASES[1][0] and any(EXAMPLES[n]):
                target, favorite = EXAMPLES[n]
                spot: dict[str, Any] = {"x": left + wide / 2, "y": y + HIGH + 24 + 17 * (n == 1)}
                words = f'<tspan style="font-style:italic">{target}</tspan> → {favorite}'
                canvas.add("text", words, **spot, text_anchor="middle", style=f"font-size:{SMALL}px")
            left += wide
        at_end = counts[-1] < counts[0]  # the slices that are too small for a number, which is written below them
        canvas.note(LEFT + WIDE * at_end, y + HIGH + 24, ", ".join(small), "", "end" if at_end else "start")
        said.append(f"{title}, {sum(counts):,} cases: {', '.join(f'{count:,}' for count in counts)}")
        y += STEP
    examples = "; ".join(" and ".join(words) for words in EXAMPLES if any(words))
    return canvas.finish(
        "What the target words need",
        "Two bars, each cut into four classes: the target word needs the row of the hidden word, needs only the"
        " word, is helped by it, or does not need it."
        f" {'. '.join(said)}. Below the second bar are examples, each a target word and its favorite: {examples}.",
    )


def _hatch(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """Draw slanted lines in a rectangle, which can be told from a plain one in both themes."""
    lines = []
    for n in range(int((width + height) / HATCH) + 1):
        right = n * HATCH  # where a line of the slope 1 would reach the upper edge
        start, end = max(0.0, right - height), min(width, float(right))
        if end > start:
            lines.append(f"M{x + start:.1f} {y + right - start:.1f}L{x + end:.1f} {y + right - end:.1f}")
    canvas.add("path", d="".join(lines), class_="line weight", style="stroke-width:1;stroke-opacity:0.6")
