"""The second layer of the induction circuit, given a prompt of examples: a similar word finds the same mark."""

from typing import Any

import numpy as np

from clearformer import functional as F

from .induction import label, title
from .kit import Canvas, Drawing, number

COLUMNS = {"apple": 30, "fruit": 104, "carrot": 178, "vegetable": 254, "pear": 329}  # the middle of each token
WIDE = (54, 80, 60, 86, 54)
MARKS = {"fruit": "apple", "vegetable": "carrot"}  # which word came before
VECTORS = {  # (4,): fruit and vegetable have a feature each, too
    "apple": [1.0, 0.0, 0.0, 0.0],
    "carrot": [0.0, 1.0, 0.0, 0.0],
    "pear": [0.9, 0.1, 0.0, 0.0],
}
SCORES = {word: 8 * float(np.dot(VECTORS["pear"], VECTORS[mark])) for word, mark in MARKS.items()}
WEIGHTS = F.softmax(np.array([*SCORES.values(), 0, 0, 0, 0]))  # the start token, apple, carrot and pear score 0


def prompt_examples() -> Drawing:
    """Draw how pear finds the mark "after apple", and what it copies."""
    canvas, last, found = Canvas(382), COLUMNS["pear"], COLUMNS["fruit"]
    canvas.box(2, 90, 356, 226, "", role="weight")
    for (word, x), wide in zip(COLUMNS.items(), WIDE, strict=True):
        canvas.token(x, 18, word, wide)
        if word in MARKS:
            canvas.line((x, 32), (x, 316), kind="stream", arrow=False)
            label(canvas, x, 66, f"after {MARKS[word]}", "value")
    canvas.line((last, 32), (last, 332), kind="stream")
    title(canvas, 90, "layer 2: induction head")
    label(canvas, last - 10, 142, "query: (7.2, 0.8, 0, 0)", "query", anchor="end")
    for y, (word, score), weight in zip((208, 172), SCORES.items(), WEIGHTS, strict=False):
        x = COLUMNS[word]
        canvas.line((last, y), (x + 38, y), kind="query", width=3 if word == "fruit" else 0)
        label(canvas, x, y + 5, f"score {number(score)}", "key")
        place: dict[str, Any] = {"x": x - 46, "y": 230, "width": 92, "height": 26, "rx": 6}
        canvas.add("rect", **place, class_="token", style="stroke:var(--weight)")
        canvas.text(x, 248, f"weight {weight:.3f}", size=13)
    canvas.add("circle", cx=found, cy=288, r=4, class_="head value")
    canvas.line((found, 288), (last - 12, 288), kind="value", width=3)
    canvas.plus(last, 288)
    label(canvas, (found + last) / 2 - 40, 278, "value: fruit", "value")
    canvas.box(last - 83, 334, 112, 42, "", role="lit")
    canvas.text(last - 27, 353, "pear")
    canvas.note(last - 27, 370, "guess: fruit", "value", "middle")
    return canvas.finish(
        "Examples in a prompt",
        "The text is 'apple fruit carrot vegetable pear'. Layer 1 has marked 'fruit' with 'after apple' and 'vegetable'"
        " with 'after carrot'. In layer 2 the query of 'pear' has a score of"
        f" {number(SCORES['fruit'])} with the first mark and {number(SCORES['vegetable'])} with the second, so that"
        f" 'fruit' gets a weight of {WEIGHTS[0]:.3f} and 'vegetable' {WEIGHTS[1]:.3f}, and the guess is 'fruit'.",
    )
