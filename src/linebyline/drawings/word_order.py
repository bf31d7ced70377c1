"""Word order: positions that are added to the vectors of words."""

from .kit import CELL, Canvas, Drawing, number

SENTENCES = ("Dan", "loves", "Eve"), ("Eve", "loves", "Dan")
ROWS = {"Dan": (4.0, 0.0), "loves": (2.0, 2.0), "Eve": (0.0, 4.0)}  # of the table of words
MARKS = ((0.0, 1.0), (0.0, 0.0), (0.0, -1.0))  # of positions 0, 1 and 2


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
        "The vectors of positions 0, 1 and 2 are (0, 1), (0, 0) and (0, −1). In Dan loves Eve, "
        f"{', '.join(said[:3])}. In Eve loves Dan, {', '.join(said[3:])}.",
    )
