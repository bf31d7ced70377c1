"""The way back through attention: from one output to values, weights, scores and query, and all arrays with shapes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .kit import SMALL, Canvas, Drawing, number

WORDS = ("Dan’s", "ice", "cream")  # cream asks
QUERY = np.array([[math.sqrt(2) * math.log(2) / 2, 0.0]])  # (T, d_k): a timid one, so that the weights are 1 : 2 : 1
KEYS = np.array([[0.0, 2], [2, 0], [0, 0]])  # (S, d_k)
VALUES = np.array([[1.0, 0], [0, 1], [0, 0]])  # (S, d_v): person, cold
D_OUTPUT = np.array([0.4, -0.8])  # (d_v,)
WEIGHTS = np.array([0.25, 0.5, 0.25])  # (S,)
SURE = np.array([0.98, 0.01, 0.01])  # (S,): confident, and wrong
D_WEIGHTS = VALUES @ D_OUTPUT  # (S,)
COLUMNS, BELOW, WIDE = (140, 228, 316), 228, 37
BEAM, LEFT, UNIT = 96, 224, 214  # of the lever: its height, where 0 is, and how long 1 is


def score_gradients(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the average of the gradients of the weights, and the gradients of the scores."""
    average = float(weights @ D_WEIGHTS)
    return average, weights * (D_WEIGHTS - average)


def values_backward() -> Drawing:
    """Draw how the gradient of one output is handed to the values, and what it says of each weight."""
    canvas, output, d_values = Canvas(432), WEIGHTS @ VALUES, np.outer(WEIGHTS, D_OUTPUT)
    for y, words, role in (
        (66, "weights", "weight"),
        (120, "values", "value"),
        (204, "output", "value"),
        (254, "its gradient", "bold"),
        (342, "gradients: of values", "bold"),
        (404, "gradients: of weights", "bold"),
    ):
        first, _, second = words.partition(": ")
        canvas.text(4, y + 5 - 9 * bool(second), first, role, "start", 14)
        if second:
            canvas.text(4, y + 14, second, role, "start", 14)
    for s, x in enumerate(COLUMNS):
        thick = 0.8 + 6 * WEIGHTS[s]
        canvas.line((x, 135), (BELOW + 0.3 * (x - BELOW), 186), kind="value", width=thick)
        canvas.line((BELOW + 0.3 * (x - BELOW), 270), (x, 324), kind="layer", width=thick)
        canvas.token(x, 20, WORDS[s], 72, "lit" if s == 2 else "")
        canvas.bar(x, 66, WEIGHTS[s], 72)
        canvas.vector(x, 120, VALUES[s].tolist(), "value", top=1, cell=WIDE)
        canvas.vector(x, 342, d_values[s].tolist(), "layer", top=0.8, cell=WIDE)
        canvas.vector(x, 404, [D_WEIGHTS[s]], "layer", top=0.8, cell=46)
    for x, s in zip((144, 238, 316), range(3), strict=True):
        canvas.note(x, 300, f"× {number(WEIGHTS[s])}", "", "start" if s else "end")
    canvas.vector(BELOW, 204, output.tolist(), "value", top=1, cell=46)
    canvas.vector(BELOW, 254, D_OUTPUT.tolist(), "layer", top=0.8, cell=46)
    for i, name in enumerate(("person", "cold")):
        canvas.note(BELOW + (i - 0.5) * 46, 234, name, anchor="middle")
    canvas.note(BELOW, 378, "gradient of the output · value", anchor="middle")
    shown = "; ".join(
        f"{word}: {_words(row)} for its value and {number(d_weight)} for its weight"
        for word, row, d_weight in zip(WORDS, d_values, D_WEIGHTS, strict=True)
    )
    return canvas.finish(
        "From one output back to values and weights",
        f"The weights {_words(WEIGHTS)} mix three values into the output {_words(output)}. Its gradient is"
        f" {_words(D_OUTPUT)}. Each value gets this gradient times its weight, and each weight gets the dot product of"
        f" the gradient with its value. {shown}.",
    )


def lever(weights: Sequence[float] = tuple(WEIGHTS.tolist())) -> Drawing:
    """Draw the softmax as a lever: weights at the places of their gradients, balanced at the average."""
    average, d_scores = score_gradients(np.array(weights))
    canvas = Canvas(258)
    places = [LEFT + UNIT * float(d) for d in D_WEIGHTS]
    middle = LEFT + UNIT * average
    canvas.line((16, BEAM), (348, BEAM), kind="stream", arrow=False)
    canvas.add("path", d=f"M{middle:.1f} {BEAM + 3}l-11 20h22z", class_="head layer")  # what the beam rests on
    canvas.note(min(middle, 300), BEAM + 40, f"average {number(average)}", "bold", "middle")
    rows = (
        ("gradient of the weight, minus the average:", D_WEIGHTS - average, BEAM + 66),
        ("times the weight, the gradient of the score:", d_scores, BEAM + 112),
    )
    for words, _, y in rows:
        canvas.note(4, y, words)
    for s, x in enumerate(places):
        side = 58 * math.sqrt(float(weights[s]))
        place: dict[str, Any] = {"x": x - side / 2, "y": BEAM - 2 - side, "width": side, "height": side}
        canvas.add("rect", **place, class_="cell weight", fill_opacity=0.45)
        inside = side > 24
        canvas.note(x, BEAM - 2 - side / 2 + 5 if inside else BEAM - 13, number(weights[s]), "", "middle")
        canvas.text(x, min(BEAM - side - 10, BEAM - 30), WORDS[s], "bold", size=14)
        canvas.note(x if abs(x - middle) > 30 else x + 26, BEAM + 18, number(D_WEIGHTS[s]), "", "middle")
        for _, values, y in rows:
            canvas.text(x, y + 20, _digits(values[s]), "bold" if values is d_scores else "", size=SMALL + 1)
    canvas.note(16, BEAM + 154, "← the score should rise")
    canvas.note(348, BEAM + 154, "the score should fall →", anchor="end")
    shown = "; ".join(
        f"{word} has the weight {number(w)} at {number(d)}, and its score the gradient {_digits(z)}"
        for word, w, d, z in zip(WORDS, weights, D_WEIGHTS, d_scores, strict=True)
    )
    return canvas.finish(
        "The softmax as a lever",
        f"A beam with a block for each word. The block is as heavy as the weight, and its place is the gradient of the"
        f" weight. The beam is balanced at the average, {number(average)}. {shown}.",
    )


def query_step() -> Drawing:
    """Draw the keys and the query of *cream* in the plane, and where a step against the gradient takes the query."""
    canvas, unit, zero = Canvas(312), 104, (58, 238)
    _, d_scores = score_gradients(WEIGHTS)
    d_query = d_scores @ KEYS / math.sqrt(2)  # (d_k,)
    old, new = QUERY[0], QUERY[0] - d_query

    def at(x: float, y: float) -> tuple[float, float]:
        return zero[0] + unit * float(x), zero[1] - unit * float(y)

    canvas.line(at(-0.3, 0), at(2.5, 0), arrow=False)
    canvas.line(at(0, -0.6), at(0, 2.2), arrow=False)
    for key in KEYS:
        canvas.add("circle", cx=at(*key)[0], cy=at(*key)[1], r=6, class_="head key")
    canvas.text(zero[0] + 12, at(0, 2)[1] + 5, "key of Dan’s", "key", "start", 14)
    canvas.text(at(2, 0)[0], zero[1] - 14, "key of ice", "key", "middle", 14)
    for down, words in ((20, "key of"), (36, "cream")):
        canvas.text(zero[0] - 8, zero[1] + down, words, "key", "end", 14)
    canvas.line(at(*old), at(new[0], 0), kind="off", arrow=False)
    canvas.line(at(new[0], 0), at(*new), kind="off", arrow=False)
    canvas.line(zero, at(*old), kind="query", width=3)
    canvas.line(zero, at(*new), kind="query", width=1.6)
    canvas.line(at(*old), at(*new), kind="layer", width=2.4)
    canvas.text(zero[0] + 10, zero[1] - 12, f"query {_words(old)}", "query", "start", 14)
    x, y = at(*new)
    canvas.text(x + 10, y - 1, f"new query {_words(new)}", "query", "start", 14)
    canvas.note(x + 10, y + 17, f"{number(-d_query[0])} toward the key of ice,", "")
    canvas.note(x + 10, y + 33, f"{number(d_query[1])} away from that of Dan’s", "")
    return canvas.finish(
        "A step of the query",
        f"The plane of queries and keys. The key of Dan’s is at (0, 2), that of ice at (2, 0), that of cream at (0, 0)."
        f" The query is at {_words(old)}. A step against its gradient takes it to {_words(new)}: to the right, toward"
        " the key of ice, and down, away from the key of Dan’s.",
    )


# Name, role, place of the middle, shape; and the arrows back: from, to, the rule.
ARRAYS = {
    "d_output": ("value", (216, 412), "T × d_v"),
    "d_weights": ("weight", (110, 306), "T × S"),
    "d_scores": ("", (110, 208), "T × S"),
    "d_queries": ("query", (60, 110), "T × d_k"),
    "d_keys": ("key", (180, 110), "S × d_k"),
    "d_values": ("value", (300, 110), "S × d_v"),
    "d_x": ("", (180, 24), "T × d_model"),
}
ARROWS = (
    ("d_output", "d_weights", "values", (122, 366, "end")),
    ("d_output", "d_values", "weights", (276, 300, "start")),
    ("d_weights", "d_scores", "softmax", (118, 261, "start")),
    ("d_scores", "d_queries", "keys", (76, 166, "end")),
    ("d_scores", "d_keys", "queries", (160, 166, "start")),
    ("d_queries", "d_x", "W_Q", (88, 66, "end")),
    ("d_keys", "d_x", "W_K", (186, 70, "start")),
    ("d_values", "d_x", "W_V", (272, 66, "start")),
)


def way_back() -> Drawing:
    """Draw the gradients of all arrays of attention, with the array that each step multiplies by."""
    canvas, half = Canvas(436), 20
    for start, end, words, (x, y, anchor) in ARROWS:
        (x0, y0), (x1, y1) = ARRAYS[start][1], ARRAYS[end][1]
        shift = 0.25 * (x1 - x0)
        canvas.line((x0 + shift, y0 - half), (x1 - shift, y1 + half + 3), kind="layer", width=1.5)
        canvas.note(x, y, f"× {words}" if words != "softmax" else words, "", anchor)
    for name, (role, (x, y), shape) in ARRAYS.items():
        canvas.add("rect", x=x - 50, y=y - half, width=100, height=2 * half, rx=4, class_=f"cell {role}".strip())
        canvas.parts[-1] = canvas.parts[-1].replace("<rect", '<rect fill-opacity="0.15"')
        canvas.parts.append(f'<text x="{x}" y="{y - 1}" text-anchor="middle" class="code" style="font-size:14px">')
        canvas.parts[-1] += f"{name}</text>"
        canvas.note(x, y + 14, shape, "", "middle")
    canvas.note(272, 417, "from the loss", anchor="start")
    said = ", ".join(f"{start} leads to {end} by {words}" for start, end, words, _ in ARROWS)
    return canvas.finish("The way back through attention", f"From the bottom to the top: {said}.")


def _digits(value: float) -> str:
    """Return a number with three decimals at most."""
    return f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−")


def _words(row: np.ndarray) -> str:
    return f"({', '.join(map(number, row.tolist()))})"
