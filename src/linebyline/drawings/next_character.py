"""The next character in "banana bandana": counts, surprise, softmax, and what the gradient asks of each logit."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing, number

TEXT = "banana bandana"
LETTERS = " abdn"
LOGITS = (1, 0, 0, 0, 2)  # after an a, for each of the letters
COLUMN = 52


def bigrams() -> Drawing:
    """Draw how often each letter follows each other one, and the probabilities that follow from it."""
    counts = np.array([[sum(TEXT[i : i + 2] == a + b for i in range(len(TEXT))) for b in LETTERS] for a in LETTERS])
    p = counts / counts.sum(axis=1, keepdims=True)
    canvas = Canvas(216)
    for x, cell, table, words in ((20, 22, counts, "counts"), (197, 32, p, "probabilities")):
        canvas.text(x + 2.5 * cell, 16, words, "bold")
        for i, letter in enumerate(LETTERS):
            canvas.text(x + (i + 0.5) * cell, 36, _shown(letter), "code")
            canvas.text(x - 10, 60 + 26 * i, _shown(letter), "code")
        canvas.matrix(x, 42, table.tolist(), "weight", cell=cell)
    canvas.line((140, 107), (172, 107))
    canvas.note(155, 90, "÷ sum", anchor="middle")
    canvas.note(155, 127, "of row", anchor="middle")
    canvas.note(180, 192, "in both: a row for this character,", anchor="middle")
    canvas.note(180, 209, "a column for the next one", anchor="middle")
    return canvas.finish(
        f"Which letter follows which in “{TEXT}”",
        "Two tables with a row and a column for each of the five characters. The row of a has counts 4 for n and 1 for"
        " the space, so probabilities 0.8 and 0.2. The row of n has 3 for a and 1 for d, so 0.75 and 0.25.",
    )


def softmax_steps() -> Drawing:
    """Draw the three steps of a softmax: logits, their exponentials, and the fractions of these."""
    exponentials, p = np.exp(LOGITS), F.softmax(np.array(LOGITS, dtype=float))
    canvas = Canvas(212)
    _letters(canvas, 18)
    rows = ((44, "logits", LOGITS, ""), (98, "power", exponentials, "layer"))
    for y, words, values, role in rows:
        canvas.note(4, y + 4, words)
        _vector(canvas, y, values.tolist() if isinstance(values, np.ndarray) else values, role)
    canvas.note(4, 86, "e to the")
    canvas.note(4, 118, "of each")
    canvas.note(4, 138, f"sum {exponentials.sum():.1f}")
    canvas.note(4, 160, "÷ sum:")
    canvas.note(4, 176, "softmax")
    for i, share in enumerate(p):
        x = 96 + (i + 0.5) * COLUMN
        canvas.line((x, 59), (x, 83))
        canvas.line((x, 113), (x, 139))
        canvas.bar(x, 156, float(share), COLUMN - 6)
    canvas.note(96 + 2.5 * COLUMN, 200, "five probabilities, which sum to 1", anchor="middle")
    return canvas.finish(
        "A softmax in three steps",
        "The logits 1, 0, 0, 0 and 2 become e to their powers: 2.72, 1, 1, 1 and 7.39. Divided by their sum, 13.1, they"
        " are the probabilities 0.21, 0.08, 0.08, 0.08 and 0.56.",
    )


def logit_gradient() -> Drawing:
    """Draw the gradient of one prediction: the probabilities minus the one-hot target."""
    p = F.softmax(np.zeros(5))
    target = np.array([letter == "n" for letter in LETTERS], dtype=float)
    canvas = Canvas(222)
    _letters(canvas, 18)
    for y, words, values, role in ((44, "predicted", p, "weight"), (98, "actual", target, "value")):
        canvas.note(4, y + 4, words)
        _vector(canvas, y, values.tolist(), role)
    canvas.note(4, 76, "minus")
    canvas.note(4, 130, "equals")
    canvas.note(4, 156, "gradient")
    _vector(canvas, 152, (p - target).tolist(), "layer")
    for i, slope in enumerate(p - target):
        x = 96 + (i + 0.5) * COLUMN
        long = 8 + 24 * abs(slope)
        middle = 190
        canvas.line((x, middle + np.sign(slope) * -long / 2), (x, middle + np.sign(slope) * long / 2), width=2)
    canvas.note(4, 186, "so we move")
    canvas.note(4, 202, "the logit")
    return canvas.finish(
        "The gradient of one prediction",
        "Each of the five characters was predicted with 0.2, and n followed. Predicted minus actual is 0.2 for the"
        " others and −0.8 for n, so four logits should fall a little, and that of n should rise a lot.",
    )


def surprise() -> Drawing:
    """Draw the surprise at a character against the probability that it was given, with four points."""
    canvas = Canvas(250)
    left, top, wide, high, most = 40, 20, 300, 180, 3.2

    def place(p: float) -> tuple[float, float]:
        return left + p * wide, top + high * (1 + np.log(p) / most)

    canvas.line((left, top + high), (left, top - 8))
    canvas.line((left, top + high), (left + wide + 12, top + high))
    canvas.line(*(place(p) for p in np.geomspace(np.exp(-most), 1, 60)), kind="weight", arrow=False, width=2.5)
    for nats in (1, 2, 3):
        canvas.note(left - 8, top + high * (1 - nats / most) + 5, str(nats), anchor="end")
    for p in (0, 0.5, 1):
        canvas.note(left + p * wide, top + high + 18, number(p), anchor="middle")
    named = {0.2: ("a, then space", 14, -12), 0.25: ("n, then d", 16, -1)}
    named |= {0.75: ("n, then a", -140, 7), 0.8: ("a, then n", -65, -36)}
    for p, (words, right, down) in named.items():
        x, y = place(p)
        if right < 0:  # too close to each other for words beside them
            canvas.line((x, y), (x - 20 * (down > 0), y + down / 3 + (down < 0) * down / 2), arrow=False, kind="off")
        canvas.add("circle", cx=x, cy=y, r=4.5, class_="plus")
        canvas.text(x + right, y + down, f"{words}: {-np.log(p):.2f}", anchor="start")
    canvas.note(left + 8, top, "surprise, in nats")
    canvas.note(left + wide, 240, "probability of the actual next one", anchor="end")
    return canvas.finish(
        "Surprise is minus the logarithm of the probability",
        "A curve that falls from infinity at probability 0 to zero at probability 1. In banana bandana, n after a was"
        " given 0.8 and costs 0.22 nats; a after n 0.75 and 0.29; d after n 0.25 and 1.39; the space after a 0.2 and"
        " 1.61.",
    )


def _shown(letter: str) -> str:
    return "·" if letter == " " else letter


def _letters(canvas: Canvas, y: float) -> None:
    """Name the columns, one for each character that may follow an a."""
    canvas.note(4, y, "after an a:")
    for i, letter in enumerate(LETTERS):
        canvas.text(96 + (i + 0.5) * COLUMN, y, _shown(letter), "code")


def _vector(canvas: Canvas, y: float, values: list[float] | tuple[float, ...], role: str) -> None:
    canvas.vector(96 + 2.5 * COLUMN, y, list(values), role, cell=COLUMN)
