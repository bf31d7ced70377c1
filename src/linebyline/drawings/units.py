"""The feed-forward layer: a unit that is on only for both features, a token that is widened, hinges, the way back."""

import numpy as np

from .kit import SMALL, Canvas, Drawing, number

PHRASES = ("ice cream", "ice skates", "hand cream", "hand towel")
FEATURES = ("ice", "cream", "dessert", "sport")
X = np.array([[1.0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])  # (T, d_model)
WANTED = (1.0, 0.0, 0.0, 0.0)  # is it a dessert?
W_1 = np.array([[1.0, 1, -1, -1], [1, -1, 1, -1], [0, 0, 0, 0], [0, 0, 0, 0]])  # (d_model, d_ff)
B_1 = np.array([-1.0, 0, 0, 1])  # (d_ff,)
W_2 = np.array([[0.0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]])  # (d_ff, d_model)
UNITS = ("both", "only ice", "only cream", "neither")
VAGUE = np.array([0.9, 1, 0, 0])  # ice cream, as attention may deliver it
BEHIND = np.array([0.0, 0, -0.5, 0.2])  # the gradient of its output

HINGES = ((0, 1), (1, -2), (2, 1))  # places and factors


def only_both() -> Drawing:
    """Draw four phrases, and what the best weighted sum and a unit say of them."""
    canvas = Canvas(204)
    affine = np.column_stack([X[:, :2], np.ones(len(X))])
    best = affine @ np.linalg.lstsq(affine, np.array(WANTED), rcond=None)[0]  # (T,)
    unit = np.maximum(0, X.sum(axis=-1) - 1)  # (T,)
    for x, first, second in (
        (138, "ice,", "cream"),
        (197, "", "wanted"),
        (258, "weighted", "sum"),
        (326, "one", "unit"),
    ):
        canvas.note(x, 16, first, anchor="middle")
        canvas.note(x, 32, second, anchor="middle")
    for t, phrase in enumerate(PHRASES):
        y = 58 + 40 * t
        canvas.token(52, y, phrase, 100)
        canvas.vector(138, y, list(X[t, :2]), top=2)
        canvas.vector(197, y, [WANTED[t]], top=1.5, cell=40)
        canvas.vector(258, y, [best[t]], "weight", top=1.5, cell=48)
        canvas.vector(326, y, [unit[t]], "layer", top=1.5, cell=40)
    said = "; ".join(
        f"{p}: wanted {number(w)}, sum {number(b)}, unit {number(u)}"
        for p, w, b, u in zip(PHRASES, WANTED, best, unit, strict=True)
    )
    return canvas.finish(
        "A weighted sum and a unit",
        f"The answers for four phrases. {said}. Only the unit gives what is wanted.",
    )


def widened() -> Drawing:
    """Draw the way of one token through the layer: its features, four units, the ReLU, rows of W_2, the sum."""
    canvas, x = Canvas(576), X[0]
    z = x @ W_1 + B_1  # (d_ff,)
    hidden = np.maximum(0, z)  # (d_ff,)
    output = hidden @ W_2  # (d_model,)
    wide, left = 62, 108
    places = [left + (j + 0.5) * wide for j in range(4)]
    middle = left + 2 * wide

    def row(y: float, numbers: np.ndarray, role: str = "layer") -> None:
        for place, value in zip(places, numbers.tolist(), strict=True):
            canvas.vector(place, y, [value], role if value > 0 else "", top=1.6 if value > 0 else 100, cell=wide)

    def names(y: float, words: tuple[str, ...]) -> None:
        for place, word in zip(places, words, strict=True):
            *above, last = word.split()
            canvas.note(place, y, last, anchor="middle")
            canvas.note(place, y - 14, " ".join(above), anchor="middle")

    def weighted(y: float, matrix: np.ndarray, factors: np.ndarray, words: tuple[str, ...]) -> None:
        for j, (numbers, factor, word) in enumerate(zip(matrix, factors, words, strict=True)):
            row(y + 14 + 28 * j, numbers)
            canvas.note(left - 8, y + 19 + 28 * j, f"{number(factor)} × {word}", "bold" if factor else "quiet", "end")

    canvas.token(middle, 18, PHRASES[0], 100, "lit")
    names(50, FEATURES)
    row(70, x, "")
    canvas.line((middle, 85), (middle, 102))
    canvas.note(middle + 12, 99, "× W_1")
    names(132, UNITS)
    weighted(140, W_1, x, FEATURES)
    canvas.add("rect", x=left - 1, y=137, width=wide + 2, height=116, rx=4, class_="frame")
    row(272, B_1, "")
    canvas.note(left - 8, 277, "+ b_1", "quiet", "end")
    canvas.line((middle, 287), (middle, 304))
    row(320, z)
    for place in places:
        canvas.line((place, 335), (place, 352))
    row(368, hidden)
    canvas.line((middle, 383), (middle, 400))
    canvas.note(middle + 12, 397, "× W_2")
    names(424, FEATURES)
    weighted(432, W_2, hidden, UNITS)
    canvas.add("rect", x=left - 3, y=430, width=4 * wide + 6, height=32, rx=4, class_="frame")
    row(562, output)
    for y, words in ((70, "token"), (320, "before ReLU"), (368, "after ReLU"), (562, "output")):
        canvas.note(4, y + 5, words, "")
    return canvas.finish(
        "One token in the feed-forward layer",
        f"The vector of {PHRASES[0]}, ({', '.join(map(number, x))}), gives the four units"
        f" {', '.join(f'{name} {number(v)}' for name, v in zip(UNITS, z, strict=True))}. After the ReLU they are"
        f" {', '.join(map(number, hidden))}, so only the first is on, and its row of W_2,"
        f" ({', '.join(map(number, output))}), is the output. The column of W_1 for the first unit"
        f" is ({', '.join(map(number, W_1[:, 0]))}).",
    )


def tent() -> Drawing:
    """Draw three hinges and their sum."""
    canvas = Canvas(268)
    left, unit, zero = 62, 84, 138

    def at(x: float, y: float) -> tuple[float, float]:
        return left + unit * x, zero - 42 * y

    def total(x: float) -> float:
        return sum(factor * max(0.0, x - place) for place, factor in HINGES)

    canvas.line(at(-0.3, 0), at(3.3, 0), arrow=False)
    canvas.line(at(-0.3, -2.9), at(-0.3, 3), arrow=False)
    for y in (-2, -1, 0, 1, 2, 3):
        canvas.line(at(-0.36, y), at(-0.3, y), arrow=False)
        canvas.note(at(-0.42, y)[0], at(0, y)[1] + 5, number(y), anchor="end")
    for (place, factor), role in zip(HINGES, ("query", "key", "value"), strict=True):
        end = {0: 2.9, 1: 2.4, 2: 3.3}[place]
        canvas.line(at(-0.3, 0), at(place, 0), at(end, factor * (end - place)), kind=role, arrow=False)
    canvas.line(*(at(x, total(x)) for x in (-0.3, 0, 1, 2, 3.3)), kind="layer", arrow=False, width=4)
    for x in range(4):
        canvas.line(at(x, 0), at(x, -0.12), arrow=False)
        canvas.note(at(x, 0)[0] - (0 if x != 1 else 8), zero + 20, str(x), anchor="middle")
    canvas.note(*at(2.35, 2.6), "max(0, x)", "query", "end")
    canvas.note(*at(1.95, -1.7), "−2 max(0, x − 1)", "key")
    canvas.note(*at(3.5, 1.45), "max(0, x − 2)", "value", "end")
    canvas.text(*at(0.84, 1.05), "sum", "bold", "end", size=SMALL)
    heights = ", ".join(f"{number(total(x))} at {number(x)}" for x in (0, 0.5, 1, 1.5, 2, 3))
    return canvas.finish(
        "Three hinges make a tent", f"Hinges at 0, 1 and 2 have the factors 1, -2 and 1. Their sum is {heights}."
    )


def layer_backward() -> Drawing:
    """Draw the layer for a token forward, with values, and backward, with gradients."""
    canvas, wide, x = Canvas(322), 38, VAGUE
    z = x @ W_1 + B_1  # (d_ff,)
    hidden = np.maximum(0, z)
    output, d_hidden = hidden @ W_2, W_2 @ BEHIND
    d_z = d_hidden * (z > 0)
    d_x = W_1 @ d_z
    left, right, rows = 82, 278, (64, 142, 220, 298)
    canvas.text(left, 18, "forward: values", "bold", size=13)
    canvas.text(right, 18, "backward: gradients", "bold", size=13)

    def vectors(y: float, values: np.ndarray, gradients: np.ndarray) -> None:
        for place, numbers, role, top in ((left, values, "layer", 2), (right, gradients, "value", 1)):
            for j, value in enumerate(numbers.tolist()):
                lit = value > 0 or (role == "value" and value < 0)
                canvas.vector(
                    place + (j - 1.5) * wide, y, [value], role if lit else "", top=top if lit else 100, cell=wide
                )

    for y, values, gradients in zip(rows, (x, z, hidden, output), (d_x, d_z, d_hidden, BEHIND), strict=True):
        vectors(y, values, gradients)
    words = ("token", "units before the ReLU", "units after the ReLU", "output")
    for y, word in zip(rows, words, strict=True):
        canvas.note(left, y - 19, word, anchor="middle")
    ways = (("× W_1 + b_1", "× W_1 transposed"), ("ReLU", "× 1 if on, 0 if off"), ("× W_2", "× W_2 transposed"))
    for y, (down, up) in zip(rows, ways, strict=False):
        canvas.line((left - 62, y + 16), (left - 62, y + 44))
        canvas.line((right - 62, y + 60), (right - 62, y + 18), kind="value")
        canvas.note(left - 54, y + 32, down)
        canvas.note(right - 54, y + 43, up)
    canvas.line((left + 80, rows[3]), (right - 82, rows[3]), kind="value")
    shown = [f"({', '.join(map(number, each.tolist()))})" for each in (BEHIND, d_hidden, d_z, d_x)]
    return canvas.finish(
        "The feed-forward layer, forward and backward",
        f"The gradient of the output, {shown[0]}, becomes {shown[1]} for the units after the ReLU,"
        f" {shown[2]} before it, and {shown[3]} for the token.",
    )
