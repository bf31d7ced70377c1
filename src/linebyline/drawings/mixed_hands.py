"""What one entry of a score matrix does."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .clock_hands import clock
from .kit import CELL, Canvas, Drawing, number

SPEEDS = np.array([90, 30])  # degrees per position of the fast and of the slow hand
BACK, WIDE = 3, 46
MIXING = (1, 3)  # the entry for the fast cosine of the query and the slow cosine of the key


def rows_of(positions: Sequence[int]) -> np.ndarray:
    """Return the rows of two hands at some positions: sine and cosine of the fast one, then of the slow one.

    Example:
        >>> rows_of([10]).round(2).tolist()
        [[0.0, -1.0, -0.87, 0.5]]
    """
    angles = np.deg2rad(np.asarray(positions)[:, None] * SPEEDS)  # (T, 2)
    rows = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, 4)  # (T, 4)
    return np.round(rows, 12) + 0.0


def three_back_of_two() -> np.ndarray:
    """Return the matrix that turns both hands three steps back, with two blocks and zeros between them."""
    turns, matrix = np.deg2rad(BACK * SPEEDS), np.zeros((4, 4))
    for i, (cos, sin) in enumerate(zip(np.cos(turns), np.sin(turns), strict=True)):
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return np.round(matrix, 12) + 0.0


def mixing_entry(query: int = 10, key: int = 7) -> Drawing:
    """Draw the features of a query and of a key, and between them the matrix with one entry that mixes two hands."""
    matrix, (asks, answers) = three_back_of_two(), rows_of([query, key])
    matrix[MIXING] = 1
    products = asks[:, None] * matrix * answers  # (4, 4)
    in_blocks = np.kron(np.eye(2), np.ones((2, 2))) * products
    canvas, left, top = Canvas(328), 158, 128
    canvas.text(left + 2 * WIDE, 16, f"key at position {key}", "key")
    canvas.text(8, 92, "query at", "query", "start")
    canvas.text(8, 111, f"position {query}", "query", "start")
    for i, (name, speed) in enumerate(zip(("fast", "slow"), SPEEDS, strict=True)):
        for row, p, x, y, kind in (
            (answers, key, left + (1 + 2 * i) * WIDE, 44, "key"),
            (asks, query, 42, top + (1 + 2 * i) * CELL, "query"),
        ):
            clock(canvas, x, y, row[2 * i : 2 * i + 2], float(np.deg2rad(p * speed % 360)), 18, kind)
        for j, word in enumerate(("sin", "cos")):
            canvas.note(left + (2 * i + j + 0.5) * WIDE, 80, word, "key", "middle")
            canvas.note(84, top + (2 * i + j) * CELL + 18, word, "query", "middle")
        canvas.note(left + (1 + 2 * i) * WIDE + 22, 40, name, "key")
    canvas.matrix(left, 88, [list(answers)], "key", top=1, cell=WIDE)
    canvas.matrix(100, top, [[value] for value in asks], "query", top=1, cell=WIDE)
    _grid(canvas, left, top, matrix)
    total = products.sum()
    y = top + 4 * CELL
    canvas.text(left - 8, y + 30, "blocks", "weight", "end")
    canvas.text(left, y + 30, _sum(in_blocks[in_blocks != 0]), "", "start")
    canvas.text(left - 8, y + 56, "mixing entry", "bold", "end")
    canvas.text(
        left, y + 56, f"({number(asks[1])}) · 1 · ({number(answers[3])}) = {number(products[MIXING])}", "", "start"
    )
    canvas.text(left - 8, y + 82, "score", "bold", "end")
    canvas.text(left, y + 82, number(total), "bold", "start")
    said = [", ".join(map(number, each)) for each in (asks, answers)]
    return canvas.finish(
        "What the entries of a score matrix multiply",
        f"The four features of the query at position {query}, ({said[0]}), are on the left, and those of the key at"
        f" position {key}, ({said[1]}), on top: sine and cosine of a fast hand, then of a slow hand. Between them is a"
        " matrix of four rows and four columns. Two outlined blocks on its diagonal have the entries"
        f" {_entries(matrix[:2, :2])} and {_entries(matrix[2:, 2:])}. One marked entry outside the blocks is 1, in the"
        " row of the query's fast cosine and the column of the key's slow cosine. The blocks add"
        f" {number(in_blocks.sum())} to the score and the marked entry {number(products[MIXING])}, which is"
        f" {number(total)} together.",
    )


def _grid(canvas: Canvas, x: float, y: float, matrix: np.ndarray) -> None:
    """Draw the matrix: blocks in one color and outlined, the rest in another, with an outline of the mixing entry."""
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            role = "weight" if i // 2 == j // 2 else "layer"
            shown = "0" if abs(value) < 0.005 else float(value)
            canvas.matrix(x + j * WIDE, y + i * CELL, [[shown]], role, top=1, cell=WIDE)
    for row, column, size, role in ((0, 0, 2, "weight"), (2, 2, 2, "weight"), (*MIXING, 1, "layer")):
        place: dict[str, Any] = {"x": x + column * WIDE, "y": y + row * CELL}
        place |= {"width": size * WIDE, "height": size * CELL}
        canvas.add("rect", **place, class_=f"empty {role}", style="stroke-width:3")


def _sum(products: np.ndarray) -> str:
    """Return a sum of positive products with its value."""
    return f"{' + '.join(map(number, products))} = {number(products.sum())}"


def _entries(matrix: np.ndarray) -> str:
    """Return the rows of a matrix in words."""
    return ", ".join(f"({', '.join(number(float(each)) for each in row)})" for row in matrix)
