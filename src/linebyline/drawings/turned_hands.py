"""Clock hands that a matrix turns one step back, and the scores of the turned query."""

import math

import numpy as np

from clearformer import functional as F

from .clock_hands import SMALLER, clock
from .kit import Canvas, Drawing, number


def step_back(base: float = 16.0, position: int = 3) -> Drawing:
    """Draw a position, the matrix that turns each of its hands one step back, and the position before."""
    speeds, left, cell = np.array([1.0, base**-0.5]), 112, 52
    rows = F.sinusoidal_encoding(position + 1, 4, base)[[position, position - 1]]  # (2, d_model)
    canvas = Canvas(338)
    for row, p, y, face in ((rows[0], position, 84, 40), (rows[1], position - 1, 254, 298)):
        canvas.text(52, y + 5, f"position {p}", "bold")
        canvas.vector(left + 2 * cell, y, row, top=1, cell=cell)
        for i, speed in enumerate(speeds):
            clock(canvas, left + (1 + 2 * i) * cell, face, row[2 * i : 2 * i + 2], p * speed)
    canvas.text(52, 174, "one back", "query")
    for i, speed in enumerate(speeds):
        cos, sin = math.cos(speed), math.sin(speed)
        for j in range(2):
            block: list[list[float | str]] = [[cos, sin], [-sin, cos]] if i == j else [["0", "0"], ["0", "0"]]
            canvas.matrix(left + 2 * j * cell, 117 + 52 * i, block, "query" if i == j else "", top=1, cell=cell)
    canvas.text(left - 14, 122, "×")
    canvas.text(left - 14, 240, "=")
    return canvas.finish(
        "A matrix that turns every hand one step back",
        f"The vector of position {position}, ({', '.join(map(number, rows[0]))}), times a matrix of four rows and four"
        " columns is the vector of the position before,"
        f" ({', '.join(map(number, rows[1]))}). On the diagonal of the matrix are two blocks, each with the cosine and"
        " the sine of a hand's speed; everywhere else it is 0, so that each hand is turned by its own block.",
    )


def one_back(base: float = 16.0, position: int = 3, larger: int = 10) -> Drawing:
    """Draw a query that is turned one step back, its dot products with the keys up to its own, and its weights.

    The second column of weights has a W_Q that is ``larger`` by this factor.
    """
    speeds, x, keys = (1.0, base**-0.5), (72, 116), position + 1
    encoding = F.sinusoidal_encoding(keys, 4, base)  # (S, d_model)
    products = encoding @ encoding[position - 1]  # (S,)
    weights = [F.softmax(factor * products / 2) for factor in (1, larger)]  # (S,) each; the root of d_k is 2
    canvas = Canvas(134 + 50 * keys)
    for middle, p, words, kind in (
        (66, position, f"position {position}", "bold"),
        (274, position - 1, "query", "query"),
    ):
        canvas.text(middle, 18, words, kind)
        for i, (speed, side) in enumerate(zip(speeds, (-31, 31), strict=True)):
            shown = encoding[p, 2 * i : 2 * i + 2]
            clock(canvas, middle + side, 54, shown, p * speed, kind="query" if kind == "query" else "")
    canvas.line((132, 54), (206, 54), width=2)
    canvas.text(169, 44, "W_Q")
    canvas.note(169, 74, "one back", anchor="middle")
    canvas.note(94, 116, "keys", anchor="middle")
    canvas.note(160, 116, "product", anchor="middle")
    canvas.note(267, 98, "weight with", anchor="middle")
    for middle, words in ((222, "W_Q"), (312, f"{larger} × W_Q")):
        canvas.note(middle, 116, words, anchor="middle")
    for s, row in enumerate(encoding):
        y, kind = 146 + 50 * s, "bold" if s == position - 1 else ""
        canvas.token(22, y, str(s), 38, kind and "lit")
        for i, speed in enumerate(speeds):
            clock(canvas, x[i], y, row[2 * i : 2 * i + 2], s * speed, SMALLER, "key")
        canvas.text(160, y + 5, f"{products[s]:.2f}", kind)
        for left, each in zip((190, 280), weights, strict=True):
            canvas.gauge(left + 22, y, float(each[s]), 44)
            canvas.text(left + 64, y + 5, f"{each[s]:.2f}", kind, size=14)
    said = [", ".join(map(number, each)) for each in (products, *weights)]
    return canvas.finish(
        "A query that looks one back",
        f"A matrix turns the hands of position {position} one step back, so that the query has the hands of position"
        f" {position - 1}. Its dot products with the positions 0 to {position} are {said[0]}, and its weights"
        f" {said[1]}; with a W_Q that is {larger} times as large they are {said[2]}. The largest is always that of"
        f" position {position - 1}, whose hands point in the same directions.",
    )
