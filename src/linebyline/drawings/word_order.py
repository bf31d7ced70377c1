"""Order and attention: a head that sees no order, and positions that are added to the vectors of words."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

SCORES = {"Dan": 1.0, "loves": 0.0, "Eve": 2.0}  # of the query of "loves"
VALUES = {"Dan": (1.0, 0.0), "loves": (0.0, 0.0), "Eve": (0.0, 1.0)}
SENTENCES = ("Dan", "loves", "Eve"), ("Eve", "loves", "Dan")
COLUMNS = (66, 156, 246)
WIDE = 44

ROWS = {"Dan": (4.0, 0.0), "loves": (2.0, 2.0), "Eve": (0.0, 4.0)}  # of the table of words
MARKS = ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0))  # of positions 0, 1 and 2

EVIDENCE = ((0, 2, 0, 6), (0, -2, 0, -6))  # of each word for "Dan is first", in the two sequences


def same_output() -> Drawing:
    """Draw what *loves* takes from the two others, in either order."""
    canvas, outputs = Canvas(358), []
    for i, words in enumerate(SENTENCES):
        top = 20 + 182 * i
        weights = F.softmax(np.array([SCORES[word] for word in words]))  # (S,)
        outputs.append(weights @ np.array([VALUES[word] for word in words]))  # (d_v,)
        for p, (word, x, weight) in enumerate(zip(words, COLUMNS, weights, strict=True)):
            canvas.note(x, top - 2, str(p), anchor="middle")
            canvas.token(x, top + 20, word, 76, "lit" if word == "loves" else "")
            canvas.line((x, top + 74), (156 + 0.3 * (x - 156), top + 110), kind="value", width=0.8 + 5 * weight)
            canvas.bar(x, top + 58, weight, 76)
        canvas.vector(156, top + 128, outputs[i], "value", top=1, cell=WIDE)
        canvas.note(292, top - 2, "position")
        canvas.text(292, top + 63, "weights", "weight", "start")
        canvas.text(292, top + 133, "output", "value", "start")
    shown = [", ".join(map(number, output)) for output in outputs]
    return canvas.finish(
        "Attention does not see order",
        f"In Dan loves Eve, loves gives Dan the weight {number(weights[2])} and Eve {number(weights[0])}. Its output is"
        f" ({shown[0]}). In Eve loves Dan the weights have moved along with the words, and the output is"
        f" ({shown[1]}), the same.",
    )


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
    canvas, said = Canvas(294), []
    for i, numbers in enumerate(EVIDENCE):
        top, mean = 144 * i, sum(numbers) / len(numbers)
        words = ("a", "Dan", "red", "Eve") if i == 0 else ("a", "Eve", "red", "Dan")
        for p, (word, value) in enumerate(zip(words, numbers, strict=True)):
            x = 34 + 62 * p
            canvas.note(x, top + 16, str(p), anchor="middle")
            canvas.token(x, top + 40, word, 56, "lit" if value else "")
            canvas.line((x, top + 56), (x, top + 92))
            canvas.vector(x, top + 108, [value], "weight", top=8, cell=44)
        canvas.line((246, top + 108), (272, top + 108))
        canvas.vector(304, top + 108, [mean], "weight", top=8, cell=44)
        canvas.note(304, top + 86, "mean", anchor="middle")
        canvas.text(304, top + 140, "Dan" if mean > 0 else "Eve", "bold")
        said.append(
            f"In {' '.join(words)} the evidence is {', '.join(map(number, numbers))}, and its mean {number(mean)}"
        )
    return canvas.finish(
        "Who is first?",
        f"Each word and its position give one number, the evidence that Dan is first. {'. '.join(said)}.",
    )
