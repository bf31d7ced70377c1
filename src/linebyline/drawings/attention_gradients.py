"""The way back through attention: from one output to values, weights, scores and query."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .kit import SMALL, Canvas, Drawing, number

WORDS = ("Dan’s", "ice", "cream")  # cream asks
QUERY = np.array([[math.sqrt(2) * math.log(2) / 2, 0.0]])  # (T, d_k): short, so that the weights are 1 : 2 : 1
KEYS = np.array([[0.0, 2], [2, 0], [0, 0]])  # (S, d_k)
VALUES = np.array([[1.0, 0], [0, 1], [0, 0]])  # (S, d_v): person, cold
D_OUTPUT = np.array([0.4, -0.8])  # (d_v,)
WEIGHTS = np.array([0.25, 0.5, 0.25])  # (S,)
SURE = np.array([0.98, 0.01, 0.01])  # (S,): confident, and wrong
D_WEIGHTS = VALUES @ D_OUTPUT  # (S,)
COLUMNS, BELOW, WIDE = (140, 228, 316), 228, 37
BEAM, LEFT, UNIT = 96, 230, 202  # of the lever: its height, where 0 is, and how long 1 is


def score_gradients(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the average of the gradients of the weights, and the gradients of the scores."""
    average = float(weights @ D_WEIGHTS)
    return average, weights * (D_WEIGHTS - average)


def head_forward() -> Drawing:
    """Draw the way of one query through the head to its output, and the gradient that arrives there."""
    canvas, output, scores = Canvas(462), WEIGHTS @ VALUES, (KEYS @ QUERY[0]) / math.sqrt(2)
    rows = (("query", 62, "query"), ("keys", 100, "key"), ("scores", 160, ""), ("exponentials", 198, ""))
    for words, y, role in (*rows, ("weights", 236, "weight"), ("values", 282, "value"), ("output", 366, "value")):
        canvas.text(4, y + 5, words, role or "bold", "start", 14)
    for s, x in enumerate(COLUMNS):
        canvas.token(x, 20, WORDS[s], 72, "lit" if s == 2 else "")
        canvas.vector(x, 100, KEYS[s].tolist(), "key", top=2, cell=WIDE)
        canvas.vector(x, 160, [scores[s]], cell=40, top=2)
        canvas.vector(x, 198, [math.exp(scores[s])], cell=40, top=4)
        canvas.bar(x, 236, WEIGHTS[s], 72)
        canvas.vector(x, 282, VALUES[s].tolist(), "value", top=1, cell=WIDE)
        canvas.line((x, 297), (BELOW + 0.3 * (x - BELOW), 348), kind="value", width=0.8 + 6 * WEIGHTS[s])
    canvas.vector(COLUMNS[2], 62, QUERY[0].tolist(), "query", top=2, cell=WIDE)
    canvas.note(BELOW, 136, "query · key, divided by √2", anchor="middle")
    canvas.vector(BELOW, 366, output.tolist(), "value", top=1, cell=46)
    for i, name in enumerate(("person", "cold")):
        canvas.note(BELOW + 54 if i else BELOW - 54, 371, name, anchor="start" if i else "end")
    canvas.line((BELOW, 424), (BELOW, 385), kind="layer", width=2.4)
    for down, words in ((0, "gradient"), (17, "from the loss")):
        canvas.text(4, 434 + down, words, "bold", "start", 14)
    canvas.vector(BELOW, 438, D_OUTPUT.tolist(), "layer", top=0.8, cell=46)
    return canvas.finish(
        "One query, from its scores to the output",
        f"The query of cream is {_words(QUERY[0])}. Its products with three keys, divided by the root of 2, are the"
        f" scores {_words(scores)}; their exponentials are {_words(np.exp(scores))}, and the weights {_words(WEIGHTS)}."
        f" They mix three values into the output {_words(output)}. From below, the gradient {_words(D_OUTPUT)} arrives"
        " at the output.",
    )


def values_backward() -> Drawing:
    """Draw how the gradient of one output is handed to the values, and what it says of each weight."""
    canvas, d_values = Canvas(324), np.outer(WEIGHTS, D_OUTPUT)
    columns, middle = (127, 221, 315), 221
    for y, words, role in (
        (62, "costs", "bold"),
        (94, "dot: products", ""),
        (128, "values", "value"),
        (208, "gradient: of output", "bold"),
        (296, "gradients: of values", "bold"),
    ):
        first, _, second = words.partition(": ")
        canvas.text(4, y + 5 - 9 * bool(second), first, role, "start", 14)
        if second:
            canvas.text(4, y + 14, second, role, "start", 14)
    for s, x in enumerate(columns):
        products = " + ".join(f"{number(g)}·{number(v)}" for g, v in zip(D_OUTPUT, VALUES[s], strict=True))
        canvas.token(x, 20, WORDS[s], 72, "lit" if s == 2 else "")
        canvas.vector(x, 62, [D_WEIGHTS[s]], "layer", top=0.8, cell=46)
        canvas.note(x, 99, products.replace("+ −", "− "), "", "middle")
        canvas.vector(x, 128, VALUES[s].tolist(), "value", top=1, cell=WIDE)
        canvas.vector(x, 296, d_values[s].tolist(), "layer", top=0.8, cell=WIDE)
        canvas.line((middle + 0.3 * (x - middle), 192), (x, 147), kind="layer", width=1.5)
        canvas.line((middle + 0.3 * (x - middle), 224), (x, 278), kind="layer", width=0.8 + 6 * WEIGHTS[s])
    for x, s in zip((140, 233, 302), range(3), strict=True):
        canvas.note(x, 256, f"× {number(WEIGHTS[s])}", "", ("end", "start", "start")[s])
    canvas.vector(middle, 208, D_OUTPUT.tolist(), "layer", top=0.8, cell=46)
    for i, name in enumerate(("person", "cold")):
        canvas.note(middle + 52 if i else middle - 52, 213, name, anchor="start" if i else "end")
    shown = "; ".join(
        f"{word}: {_words(row)} for its value and {number(d_weight)} for its weight"
        for word, row, d_weight in zip(WORDS, d_values, D_WEIGHTS, strict=True)
    )
    return canvas.finish(
        "From one output back to values and weights",
        f"The gradient of the output is {_words(D_OUTPUT)}. Each value gets this gradient times its weight, and each"
        f" weight gets the dot product of the gradient with its value, its cost. {shown}.",
    )


def lever(weights: Sequence[float] = tuple(WEIGHTS.tolist())) -> Drawing:
    """Draw the softmax as a lever: weights at the places of their gradients, balanced at the average."""
    average, d_scores = score_gradients(np.array(weights))
    canvas = Canvas(316)
    places = [LEFT + UNIT * float(d) for d in D_WEIGHTS]
    middle = LEFT + UNIT * average
    canvas.line((16, BEAM), (348, BEAM), kind="stream", arrow=False)
    canvas.add("path", d=f"M{middle:.1f} {BEAM + 3}l-11 20h22z", class_="head layer")  # what the beam rests on
    canvas.note(min(middle, 292), BEAM + 42, f"average: {_digits(average)}", "bold", "middle")
    rows = (
        ("cost:", D_WEIGHTS, BEAM + 57),
        ("cost minus the average:", D_WEIGHTS - average, BEAM + 98),
        ("times the weight, the gradient of the score:", d_scores, BEAM + 144),
    )
    for words, _, y in rows:
        canvas.note(4, y, words)
    for s, x in enumerate(places):
        side = 66 * math.sqrt(float(weights[s]))
        place: dict[str, Any] = {"x": x - side / 2, "y": BEAM - 2 - side, "width": side, "height": side}
        canvas.add("rect", **place, class_="cell weight", fill_opacity=0.45)
        inside = side > 24
        canvas.note(x, BEAM - 2 - side / 2 + 5 if inside else BEAM - 13, number(weights[s]), "", "middle")
        canvas.text(x, min(BEAM - side - 10, BEAM - 30), WORDS[s], "bold", size=14)
        canvas.line((x, BEAM - 2), (x, BEAM + 8), arrow=False)  # its place on the beam
        for _, values, y in rows:
            canvas.text(x, y + 20, _digits(values[s]), "bold" if values is d_scores else "", size=SMALL + 1)
    canvas.note(4, BEAM + 190, "in a step, the scores")
    canvas.line((middle, BEAM + 196), (middle, BEAM + 218), kind="off", arrow=False)
    canvas.text(middle - 8, BEAM + 212, "← rise", "bold", "end", 14)
    canvas.text(middle + 8, BEAM + 212, "fall →", "bold", "start", 14)
    shown = "; ".join(
        f"{word} has the weight {number(w)} at {number(d)}, and its score the gradient {_digits(z)}"
        for word, w, d, z in zip(WORDS, weights, D_WEIGHTS, d_scores, strict=True)
    )
    return canvas.finish(
        "The softmax as a lever",
        "A beam with a block for each word. The block is as heavy as the weight, and its place is its cost. The beam"
        f" is balanced at the average, {_digits(average)}. {shown}. A step lets the scores to the left of the average"
        " rise, and those to the right fall.",
    )


def query_step() -> Drawing:
    """Draw the query of *cream* in the plane of the keys, and where a step against the gradient takes it."""
    canvas, unit, zero = Canvas(236), 132, (56, 132)
    _, d_scores = score_gradients(WEIGHTS)
    d_query = d_scores @ KEYS / math.sqrt(2)  # (d_k,)
    old, new = QUERY[0], QUERY[0] - d_query

    def at(x: float, y: float) -> tuple[float, float]:
        return zero[0] + unit * float(x), zero[1] - unit * float(y)

    canvas.line(at(-0.3, 0), at(2.2, 0), arrow=False)
    canvas.line(at(0, -0.6), at(0, 0.75), kind="key")
    for key in KEYS[1:]:
        canvas.add("circle", cx=at(*key)[0], cy=at(*key)[1], r=6, class_="head key")
    canvas.text(zero[0] + 12, at(0, 0.7)[1], "to the key of Dan’s, (0, 2)", "key", "start", 14)
    for down, words in ((-28, "key of ice"), (-12, "(2, 0)")):
        canvas.text(at(2, 0)[0], zero[1] + down, words, "key", "middle", 14)
    for down, words in ((20, "key of"), (36, "cream")):
        canvas.text(zero[0] - 8, zero[1] + down, words, "key", "end", 14)
    canvas.line(zero, at(*old), kind="query", width=3)
    canvas.line(zero, at(*new), kind="query", width=1.6)
    canvas.line(at(*old), at(new[0], 0), kind="layer", width=2.4)
    canvas.line(at(new[0], 0), at(*new), kind="layer", width=2.4)
    canvas.text(zero[0] + 8, zero[1] - 12, "query", "query", "start", 14)
    canvas.note((at(*old)[0] + at(new[0], 0)[0]) / 2, zero[1] - 12, _digits(-d_query[0]), "bold", "middle")
    canvas.note(at(new[0], 0)[0] + 9, zero[1] + 24, _digits(d_query[1]), "bold")
    y = at(*new)[1]
    canvas.text(zero[0] + 10, y + 34, f"query after the step, {_words(new)}", "query", "start", 14)
    return canvas.finish(
        "A step of the query",
        f"The plane of queries and keys. The key of Dan’s is at (0, 2), that of ice at (2, 0), that of cream at (0, 0)."
        f" The query is at {_words(old)}. A step against its gradient takes it to {_words(new)}:"
        f" {_digits(-d_query[0])} to the right, toward the key of ice, and {_digits(d_query[1])} down, away from the"
        " key of Dan’s.",
    )


def _digits(value: float) -> str:
    """Return a number with three decimals at most."""
    return f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−")


def _words(row: np.ndarray) -> str:
    return f"({', '.join(map(number, row.tolist()))})"
