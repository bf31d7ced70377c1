"""Word order: positions that are added to the vectors of words, and a task that needs them."""

from .kit import CELL, Canvas, Drawing, number

SENTENCES = ("Dan", "loves", "Eve"), ("Eve", "loves", "Dan")
ROWS = {"Dan": (4.0, 0.0), "loves": (2.0, 2.0), "Eve": (0.0, 4.0)}  # of the table of words
MARKS = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0))  # of positions 0, 1 and 2

EVIDENCE = ((1, 4, 3, 8), (1, 2, 3, -2))  # of each word for "Dan is first", in the two sequences


def added_positions() -> Drawing:
    """Draw how the vector of a position is added to that of each word, in either order."""
    canvas, said = Canvas(292), []
    for x, title in ((130, "word"), (219, "position"), (310, "sum")):
        canvas.note(x, 16, title, anchor="middle")
    for i, words in enumerate(SENTENCES):
        for p, word in enumerate(words):
            y = 44 + 142 * i + 40 * p
            total = [a + b for a, b in zip(ROWS[word], MARKS[p], strict=True)]  # (d_model,)
            canvas.token(38, y, word, 70)
            for x, numbers in ((130, ROWS[word]), (219, MARKS[p]), (310, total)):
                canvas.vector(x, y, numbers, "layer" if x == 219 else "", top=5, cell=1.2 * CELL)
            canvas.text(174, y + 5, "+")
            canvas.text(265, y + 5, "=")
            said.append(f"{word} at position {p} becomes ({', '.join(map(number, total))})")
    return canvas.finish(
        "A position is added",
        "The vectors of positions 0, 1 and 2 are (0, 1), (1, 0) and (0, −1). In Dan loves Eve, "
        f"{', '.join(said[:3])}. In Eve loves Dan, {', '.join(said[3:])}.",
    )


def who_is_first() -> Drawing:
    """Draw the evidence that each of four words gives, and its mean, for two sequences."""
    canvas, said, largest = Canvas(294), [], max(map(sum, EVIDENCE)) / len(EVIDENCE[0])
    for i, numbers in enumerate(EVIDENCE):
        top, mean = 144 * i, sum(numbers) / len(numbers)
        words = ("a", "Dan", "red", "Eve") if i == 0 else ("a", "Eve", "red", "Dan")
        for p, (word, value) in enumerate(zip(words, numbers, strict=True)):
            x = 34 + 62 * p
            canvas.note(x, top + 16, str(p), anchor="middle")
            canvas.token(x, top + 40, word, 56, "lit" if word in ("Dan", "Eve") else "")
            canvas.line((x, top + 56), (x, top + 92))
            canvas.vector(x, top + 108, [value], "weight", top=8, cell=44)
        canvas.line((246, top + 108), (272, top + 108))
        canvas.vector(304, top + 108, [mean], "weight", top=8, cell=44)
        canvas.note(304, top + 86, "mean", anchor="middle")
        canvas.text(304, top + 140, "Dan first" if mean == largest else "Eve first", "bold")
        said.append(
            f"In {' '.join(words)} the evidence is {', '.join(map(number, numbers))}, and its mean {number(mean)}"
        )
    return canvas.finish(
        "Who is first?",
        f"Each word and its position give one number, the evidence that Dan is first. {'. '.join(said)}. "
        "Dan is first in the text with the larger mean.",
    )
