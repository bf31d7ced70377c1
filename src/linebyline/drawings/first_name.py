"""Two names at two positions: the key of each is what a clock hand shows there, and one query scores both."""

import numpy as np

from clearformer import functional as F

from .clock_hands import RADIUS, clock
from .kit import Canvas, Drawing, number

NAMES, PLACES, WORDS, STEP = ("Dan", "Eve"), (1, 3), 4, 76
QUERY, CELL = (2, 1), 46  # for the sine and the cosine of the hand; the width of a cell


def first_name() -> Drawing:
    """Draw a text with two names, and how a query of two numbers chooses the earlier."""
    keys = np.array([[np.sin(p), np.cos(p)] for p in PLACES])  # (S, 2), of a hand that turns by 1 a position
    scores = keys @ QUERY  # (S,)
    weights = F.softmax(scores)  # (S,)
    canvas, middle = Canvas(346), [58 + STEP * p for p in PLACES]
    canvas.note(58 + STEP * (WORDS - 1) / 2, 16, "only the positions of the two names matter", anchor="middle")
    for p in range(WORDS):
        x, name = 58 + STEP * p, dict(zip(PLACES, NAMES, strict=True)).get(p, "…")
        canvas.token(x, 42, name, 60, "lit" if p in PLACES else "off")
        canvas.note(x, 72, str(p), anchor="middle")
    canvas.text(8, 201, "keys", "key", "start", 14)
    canvas.text(8, 244, "query", "query", "start", 14)
    canvas.text(8, 298, "score", "", "start", 14)
    canvas.text(8, 331, "weight", "weight", "start", 14)
    for x, p, key, score, weight in zip(middle, PLACES, keys, scores, weights, strict=True):
        canvas.line((x, 80), (x, 98), width=1)
        clock(canvas, x, 132, key, p, RADIUS, "key")
        canvas.note(x - CELL / 2, 178, "sine", anchor="middle")
        canvas.note(x + CELL / 2, 178, "cosine", anchor="middle")
        canvas.vector(x, 196, list(key), "key", top=1, cell=CELL)
        canvas.vector(x, 239, list(QUERY), "query", top=2, cell=CELL)
        sine, cosine = key
        product = f"{QUERY[0]}·{number(sine)} {'−' if cosine < 0 else '+'} {QUERY[1]}·{number(abs(cosine))} ="
        canvas.note(x, 275, product, anchor="middle")
        canvas.text(x, 298, f"{score:.1f}".replace("-", "−"), "bold")
        canvas.bar(x, 326, float(weight), 2 * CELL)
    said = [
        f"{name} at position {p} has the key ({number(float(key[0]))}, {number(float(key[1]))}), the score"
        f" {score:.1f} and a weight of {weight:.2f}".replace("-", "−")
        for name, p, key, score, weight in zip(NAMES, PLACES, keys, scores, weights, strict=True)
    ]
    return canvas.finish(
        "A head that chooses the earlier of two names",
        f"The key of a name is the sine and the cosine of a clock hand at its position. With the query"
        f" ({QUERY[0]}, {QUERY[1]}), {' and '.join(said)}.",
    )
