"""What a layer computes for three tokens and for six: queries grow with the text, and scores with its square."""

from .kit import CELL, Canvas, Drawing

WIDTH_OF_MODEL, TEXTS = 2, (3, 6)
LEFT, RIGHT, TOP, GAP = 84.0, 194.0, 56.0, 52.0  # both grids, the first text, and from one text to the next


def multiplications(T: int, d: int = WIDTH_OF_MODEL) -> tuple[int, int]:
    """Return how many multiplications the queries and the scores of ``T`` tokens of width ``d`` take.

    Example:
        >>> multiplications(3), multiplications(6)
        ((12, 18), (24, 72))
    """
    return T * d * d, T * T * d


def layer_work() -> Drawing:
    """Draw the queries and the scores of three tokens and of six, with the multiplications of each number."""
    canvas, y, said = Canvas(TOP + (3 + 6) * CELL + GAP + 24), TOP, []
    middles = LEFT + CELL, RIGHT + 3 * CELL
    for x, title, role, product in zip(
        middles, ("queries", "scores"), ("query", "weight"), ("X W_Q", "QKᵀ"), strict=True
    ):
        canvas.text(x, 18, title, role)
        canvas.text(x, 38, product, "quiet")
    for T in TEXTS:
        canvas.text(4, y + T * CELL / 2 + 5, f"{T} tokens", "bold", "start")
        counts = multiplications(T)
        for x, columns, role, count in ((LEFT, WIDTH_OF_MODEL, "query", counts[0]), (RIGHT, T, "weight", counts[1])):
            canvas.matrix(x, y, [[str(WIDTH_OF_MODEL)] * columns] * T, role)
            canvas.note(x + columns * CELL / 2, y + T * CELL + 18, f"{T} × {columns} × 2 = {count}", "", "middle")
        said.append(f"With {T} tokens the queries take {counts[0]} multiplications and the scores {counts[1]}")
        y += T * CELL + GAP
    return canvas.finish(
        "Queries and scores of three tokens and of six",
        "Each cell is a number that is computed, with the two multiplications that it takes. Twice the tokens are twice"
        f" as many rows of queries, but a square of scores with four times as many cells. {'. '.join(said)}.",
    )
