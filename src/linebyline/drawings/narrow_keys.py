"""Keys and queries of one number: the keys are on a line, and a query can only prefer one of its ends."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, SMALL, Canvas, Drawing, number

KEYS = {"cream": -4.1, "ice": -3.5, "<eos>": -2.6, "loves": 2.8, "Ann": 3.4}  # of one trained model, rounded
OTHERS = {"milk": -5.4, "sour": -4.5, "water": -2.3}  # words of other sentences
QUERIES = {"<sos>": 4.7, "Anna": 0.5, "älskar": -4.0}
LEFT, STEP, AXIS, TOP = 96, 52, 62, 178  # the first column, from one to the next, the line, and the grid


def narrow_keys() -> Drawing:
    """Draw the keys of five words on a line, and the weights that three queries give to them."""
    canvas, (first, last) = Canvas(TOP + CELL * len(QUERIES) + 44), (-6, 4)

    def place(key: float) -> float:
        return 14 + (key - first) / (last - first) * 332

    canvas.line((place(first), AXIS), (place(last), AXIS), arrow=False)
    canvas.line((place(0), AXIS - 4), (place(0), AXIS + 4), arrow=False)
    canvas.note(place(0), AXIS - 10, "0", anchor="middle")
    canvas.note(4, 14, "keys", "key")
    for kind, key, y in (("all people", KEYS["Ann"], 18), ("all verbs", KEYS["loves"], 38)):
        canvas.note(place(key) + (26 if y == 18 else 4), y, kind, anchor="end")
        canvas.line((place(key), y + 4), (place(key), AXIS), arrow=False)
    for word, key in OTHERS.items():
        canvas.note(place(key) - (6 if word == "milk" else 0), AXIS - 28, word, anchor="middle")
        canvas.line((place(key), AXIS - 24), (place(key), AXIS), arrow=False)
        canvas.add("circle", cx=place(key), cy=AXIS, r=4, class_="filled", style="fill-opacity:1")
    for s, (word, key) in enumerate(KEYS.items()):
        x = LEFT + (s + 0.5) * STEP
        canvas.add("circle", cx=place(key), cy=AXIS, r=5, class_="filled key", style="fill-opacity:1")
        canvas.line((place(key), AXIS + 6), (x, AXIS + 52), kind="key", arrow=False)
        canvas.note(x, AXIS + 68, word, "key", "middle")
        canvas.note(x, AXIS + 86, number(key), "key", "middle")
    canvas.note(4, TOP - 10, "queries", "query")
    canvas.note(LEFT + 2.5 * STEP, TOP - 10, "weights", "weight", "middle")
    keys, said = np.array(list(KEYS.values())), []
    for t, (word, query) in enumerate(QUERIES.items()):
        weights, y = F.softmax(query * keys), TOP + t * CELL
        canvas.note(4, y + 18, word, "query")
        canvas.note(LEFT - 6, y + 18, number(query), "query", "end")
        shown: list[float | str] = [float(weight) if weight >= 0.005 else "" for weight in weights]
        canvas.matrix(LEFT, y, [shown], "weight", top=1.6, cell=STEP)
        named = (f"{number(float(w))} for {key}" for key, w in zip(KEYS, weights, strict=True))
        said.append(f"{word}, query {number(query)}: {', '.join(named)}")
    low = TOP + CELL * len(QUERIES) + 20
    canvas.note(LEFT + 2.5 * STEP, low, "an empty cell: less than 0.005", anchor="middle")
    return canvas.finish(
        "Keys on a line",
        f"A line of numbers with the keys of five words: {', '.join(f'{w} {number(k)}' for w, k in KEYS.items())}."
        f" The keys of words of other sentences: {', '.join(f'{w} {number(k)}' for w, k in OTHERS.items())}."
        f" Below are the weights that three queries give to them. {'; '.join(said)}.",
    )


def line_and_plane() -> Drawing:
    """Draw keys of three kinds of words on a line and in a plane, and the queries that prefer a kind."""
    canvas = Canvas(166)
    for center, title in ((88, "one number"), (270, "two numbers")):
        canvas.text(center, 16, title, "bold", size=SMALL)
    canvas.line((12, 84), (164, 84), arrow=False)
    on_line = {"things": 26.0, "verbs": 92.0, "people": 150.0}
    for kind, x in on_line.items():
        canvas.add("circle", cx=x, cy=84, r=5, class_="filled key", style="fill-opacity:1")
        canvas.note(x, 66, kind, "key", "middle")
    for start, end in ((80, 30), (96, 146)):
        canvas.line((start, 106), (end, 106), kind="query", width=2)
    canvas.note(88, 132, "two directions", "query", "middle")
    for kind, angle in (("verbs", -90), ("people", 30), ("things", 150)):
        dx, dy = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        x, y = 270 + 58 * dx, 94 + 48 * dy
        canvas.add("circle", cx=x, cy=y, r=5, class_="filled key", style="fill-opacity:1")
        canvas.note(x + (34 if kind == "verbs" else 0), y + (5 if kind == "verbs" else 22), kind, "key", "middle")
        canvas.line((270 + 10 * dx, 94 + 10 * dy), (270 + 46 * dx, 94 + 37 * dy), kind="query", width=2)
    canvas.note(270, 160, "three directions", "query", "middle")
    return canvas.finish(
        "Three kinds of words, and the directions of queries",
        "On a line, the verbs are between the things and the people, and the two directions of a query lead to the"
        " things and to the people. In a plane, the three kinds are the corners of a triangle, and one of three"
        " directions leads to each.",
    )
