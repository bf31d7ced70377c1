"""The task of recall: pairs of a name and a thing, and the question which thing belongs to one of the names."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

PAIRS = (("Ann", "kite"), ("Bob", "drum"), ("Eve", "book"), ("Max", "lamp"))
ASKED = 2
STRENGTH = 5.0  # how much the match of the right name stands out
LEFT, STEP, WIDTH = 92, 68, 62


def recall_task() -> Drawing:
    """Draw four pairs, the name that is asked for, and how a head that has learned the task answers."""
    weights = F.softmax(STRENGTH * np.eye(len(PAIRS))[ASKED])  # (S,)
    middles = [LEFT + STEP * s + WIDTH / 2 for s in range(len(PAIRS))]
    canvas = Canvas(330)
    for y, words, role in ((24, "asked", "query"), (98, "names", "key"), (158, "weights", "weight")):
        canvas.text(4, y + 5, words, role, "start")
    canvas.text(4, 223, "things", "value", "start")
    canvas.text(4, 305, "answer", "value", "start")
    for (name, thing), x, weight in zip(PAIRS, middles, weights, strict=True):
        canvas.line((middles[ASKED], 40), (x, 81), kind="query")
        canvas.line((x, 114), (x, 142), kind="key")
        end = middles[ASKED] + 0.12 * (x - middles[ASKED])
        canvas.line((x, 236), (end, 287), kind="value", width=0.8 + 5 * weight)
        canvas.box(x - WIDTH / 2, 83, WIDTH, 30, name, role="key")
        canvas.bar(x, 158, weight, WIDTH)
        canvas.box(x - WIDTH / 2, 204, WIDTH, 30, thing, role="value")
    canvas.box(middles[ASKED] - WIDTH / 2, 8, WIDTH, 30, PAIRS[ASKED][0], role="query")
    canvas.box(middles[ASKED] - WIDTH / 2, 290, WIDTH, 30, PAIRS[ASKED][1], role="value lit")
    names, things = (" ".join(words) for words in zip(*PAIRS, strict=True))
    return canvas.finish(
        "The recall task",
        f"Four names, {names}, are the keys, and four things, {things}, the values. The query is"
        f" {PAIRS[ASKED][0]}. It matches the key {PAIRS[ASKED][0]}, which gets the weight {weights[ASKED]:.2f}, so the"
        f" answer is the thing of that pair, {PAIRS[ASKED][1]}.",
    )
