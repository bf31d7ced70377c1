"""Causal attention of four tokens in blocks of two: which tiles of the scores are computed, and in which order."""

from typing import Any

from .kit import CELL, SMALL, Canvas, Drawing

WORDS, CHUNK = ("Dan", "loves", "ice", "cream"), 2
SCORES = ((2,), (1, 2), (0, 2, 1), (1, 0, 3, 0))  # up to the diagonal
LEFT, TOP, WIDE, GAP = 84.0, 52.0, 54, 14.0  # GAP: from one block of keys to the next
TAG = 26.0  # above each tile, for its number


def computed() -> list[tuple[int, int]]:
    """Return the tiles that are computed, each by its block of queries and its block of keys, in their order.

    Example:
        >>> computed()
        [(0, 0), (1, 0), (1, 1)]
    """
    return [(i, j) for i in range(len(WORDS) // CHUNK) for j in range(i + 1)]


def tiles() -> Drawing:
    """Draw the scores of four tokens in four tiles, one of which is hidden by the causal mask and left out."""
    canvas = Canvas(TOP + 4 * CELL + 2 * TAG + 36)
    canvas.note(4, 18, "row: a query", "query")
    canvas.note(356, 18, "column: a key", "key", "end")

    def column(s: int) -> float:
        return LEFT + s * WIDE + s // CHUNK * GAP

    def row(t: int) -> float:
        return TOP + t * CELL + (t // CHUNK + 1) * TAG

    for n, word in enumerate(WORDS):
        canvas.note(LEFT - 10, row(n) + 18, word, "query", "end")
        canvas.note(column(n) + WIDE / 2, TOP - 6, word, "key", "middle")
    for number, (i, j) in enumerate(computed(), 1):
        for t, s in ((i * CHUNK + n // CHUNK, j * CHUNK + n % CHUNK) for n in range(CHUNK**2)):
            written = str(SCORES[t][s]) if s <= t else "−∞"
            canvas.matrix(column(s), row(t), [[written]], "weight" if s <= t else "", cell=WIDE)
        x, y = column(j * CHUNK), row(i * CHUNK)
        frame: dict[str, Any] = {"x": x - 2, "y": y - 2, "width": CHUNK * WIDE + 4, "height": CHUNK * CELL + 4}
        canvas.add("rect", **frame, class_="token lit", fill_opacity=0)
        canvas.note(x, y - 8, f"tile {number}", "bold")
    x, y = column(CHUNK), row(0)
    canvas.add("rect", x=x, y=y, width=CHUNK * WIDE, height=CHUNK * CELL, class_="off")
    canvas.text(x + CHUNK * WIDE / 2, y + CELL + 5, "left out", "quiet", size=SMALL)
    canvas.note(180, row(3) + CELL + 24, "one tile is in memory at a time", anchor="middle")
    return canvas.finish(
        "Scores in tiles",
        f"The scores of four tokens, {', '.join(WORDS)}, with a row for each query and a column for each key, are cut"
        " into four tiles of two by two. Tile 1 has the first two queries and keys, tile 2 the last two queries and the"
        " first two keys, tile 3 the last two of both; in tiles 1 and 3 the score above the diagonal is minus infinity."
        f" The last query has the scores {', '.join(map(str, SCORES[-1]))}."
        " The fourth tile, the first two queries and the last two keys, is left out: the causal mask hides all of it.",
    )
