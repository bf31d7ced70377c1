"""Weights that are fetched once: one vector uses each of them once, and four vectors use each four times."""

from .kit import CELL, Canvas, Drawing

ROWS, COLUMNS, TEXTS = 3, 2, (1, 4)  # of the matrix, and how many vectors it multiplies
LEFT, WEIGHTS, RESULT, TOP, GAP = 92.0, 200.0, 282.0, 36.0, 48.0


def counts(vectors: int) -> tuple[int, int]:
    """Return how many weights are fetched and how many multiplications they are used for.

    Example:
        >>> counts(1), counts(4)
        ((6, 6), (6, 24))
    """
    return ROWS * COLUMNS, vectors * ROWS * COLUMNS


def weights_once() -> Drawing:
    """Draw a matrix that multiplies one vector, as in a step, and the same matrix with four, as in a prompt."""
    high = [max(n, ROWS) * CELL for n in TEXTS]
    canvas, y, said = Canvas(TOP + sum(high) + len(TEXTS) * GAP - 10), TOP, []
    for x, columns, title, role in (
        (LEFT, ROWS, "vectors", ""),
        (WEIGHTS, COLUMNS, "weights", "layer"),
        (RESULT, COLUMNS, "results", ""),
    ):
        canvas.note(x + columns * CELL / 2, 20, title, f"bold {role}".strip(), "middle")
    for n, size, name in zip(TEXTS, high, (("a step:", "one vector"), ("a prompt:", "4 vectors")), strict=True):
        middle = y + size / 2
        canvas.text(4, middle - 2, name[0], "bold", "start")
        canvas.note(4, middle + 16, name[1], "")
        canvas.matrix(LEFT, middle - n * CELL / 2, [[""] * ROWS] * n)
        canvas.text((LEFT + ROWS * CELL + WEIGHTS) / 2, middle + 5, "×")
        canvas.matrix(WEIGHTS, middle - ROWS * CELL / 2, [[f"{n}×"] * COLUMNS] * ROWS, "layer")
        canvas.text((WEIGHTS + COLUMNS * CELL + RESULT) / 2, middle + 5, "=")
        canvas.matrix(RESULT, middle - n * CELL / 2, [[str(ROWS)] * COLUMNS] * n)
        fetched, multiplied = counts(n)
        canvas.note(356, y + size + 20, f"{fetched} weights fetched, {multiplied} multiplications", "", "end")
        said.append(f"With {name[1]}, {fetched} weights are fetched for {multiplied} multiplications")
        y += size + GAP
    return canvas.finish(
        "A matrix of weights with one vector and with four",
        f"Each weight says how often it is used, and each result how many multiplications it takes. {'. '.join(said)}.",
    )
