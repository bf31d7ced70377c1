"""Attention as a soft look-up: a query from outside, five keys and values written by hand, and the answer."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, SMALL, Canvas, Drawing, number

WORDS = ("Jane", "visits", "Africa", "in", "September")
KEYS = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0.4], [0, 0, 0, 1]])  # who, what, where, when
VALUES = np.array([[1.0, 0, 0], [0, 0.5, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]])
PASSED = ("woman", "away", "fall")
QUERY, FACTOR = np.array([0.0, 0, 0, 1]), 4  # "when?", and how much a match counts
SMALL_CELL, VALUE_CELL, WIDE, BAR = 20, 26, 48, 46


def soft_lookup() -> Drawing:
    """Draw the look-up of "when?" in the sentence *Jane visits Africa in September*."""
    scores = FACTOR * KEYS @ QUERY  # (S,)
    weights = F.softmax(scores)  # (S,)
    answer = weights @ VALUES  # (d_v,)
    canvas, keys, score, bar, values = Canvas(306), 121, 188, 244, 318
    top, step = 78, 32
    canvas.text(70, 25, "“when?”", "query", "end", 14)
    canvas.text(166, 25, "query", "query", "start", 14)
    canvas.vector(keys, 20, list(QUERY), "query", top=1, cell=SMALL_CELL)
    canvas.line((keys, 34), (keys, 46), kind="query")
    for x, words, role in ((keys, "keys", "key"), (score - 5, "4 · match", ""), (bar + 3, "weight", "weight")):
        canvas.text(x, 62, words, role, size=SMALL)
    canvas.text(values, 62, "values", "value", size=SMALL)
    for s, word in enumerate(WORDS):
        y = top + s * step + 8
        canvas.note(4, y + 5, word, "")
        canvas.vector(keys, y, KEYS[s], "key", top=1, cell=SMALL_CELL)
        canvas.text(score, y + 5, number(scores[s]), size=14)
        canvas.bar(bar, y, weights[s], BAR)
        canvas.vector(values, y, VALUES[s], "value", top=1, cell=VALUE_CELL)
    end = top + 4 * step + 8 + CELL / 2
    canvas.line((values, end + 3), (values - 20, 252), kind="value", width=2)
    canvas.text(196, 274, "answer", "value", "end")
    for i, (name, part) in enumerate(zip(PASSED, answer, strict=True)):
        canvas.matrix(206 + i * WIDE, 256, [[part]], "value", top=1, cell=WIDE)
        canvas.note(206 + (i + 0.5) * WIDE, 298, name, anchor="middle")
    shares = ", ".join(f"{weight:.2f} for {word}" for weight, word in zip(weights, WORDS, strict=True))
    found = ", ".join(f"{part:.2f} {name}" for part, name in zip(answer, PASSED, strict=True))
    return canvas.finish(
        "A soft look-up",
        f"The query when? is compared with the keys of five words. The weights are {shares}. The values, averaged with"
        f" these weights, are the answer: {found}.",
    )
