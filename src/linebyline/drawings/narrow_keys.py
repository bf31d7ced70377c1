"""Keys and queries of one number: the keys are on a line, and a query can only prefer one of its ends."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

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
    for tick in range(-6, 5, 2):
        canvas.line((place(tick), AXIS - 4), (place(tick), AXIS + 4), arrow=False)
        canvas.note(place(tick) + (5 if tick == -2 else 0), AXIS - 10, number(tick), anchor="middle")  # beside water
    canvas.note(356, 14, "keys", "key", "end")
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
