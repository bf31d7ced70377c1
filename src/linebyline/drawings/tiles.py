"""Causal attention of four tokens in blocks of two: which tiles of the scores are computed, and in which order."""

from typing import Any

from .kit import CELL, SMALL, Canvas, Drawing
from .online_softmax import VALUES, Kept, kept, merged, three

WORDS, CHUNK = ("Dan", "loves", "ice", "cream"), 2
SCORES = ((2,), (1, 2), (0, 2, 1), (1, 0, 3, 0))  # up to the diagonal
LEFT, TOP, WIDE, GAP = 84.0, 70.0, 54, 14.0  # GAP: from one block of keys to the next
TAG = 26.0  # above each tile, for its number


def computed() -> list[tuple[int, int]]:
    """Return the tiles that are computed, each by its block of queries and its block of keys, in their order.

    Example:
        >>> computed()
        [(0, 0), (1, 0), (1, 1)]
    """
    return [(i, j) for i in range(len(WORDS) // CHUNK) for j in range(i + 1)]


def kept_of_the_last() -> list[Kept]:
    """Return what the last query keeps after its first tile and after both.

    Example:
        >>> [tuple(map(float, part)) for part in kept_of_the_last()]
        [(1.0, 1.5, 12.0), (3.0, 1.5, 7.5)]
    """
    first, second = (kept(SCORES[-1][n : n + CHUNK], values) for n, values in zip((0, CHUNK), VALUES, strict=True))
    return [first, merged(first, second)]


def tiles() -> Drawing:
    """Draw the scores of four tokens in four tiles, one of which is hidden by the causal mask and left out."""
    canvas = Canvas(TOP + 4 * CELL + 2 * TAG + 104)
    canvas.note(4, 18, "row: a query", "query")
    canvas.note(356, 18, "column: a key", "key", "end")

    def column(s: int) -> float:
        return LEFT + s * WIDE + s // CHUNK * GAP

    def row(t: int) -> float:
        return TOP + t * CELL + (t // CHUNK + 1) * TAG

    canvas.note(LEFT - 10, TOP - 6, "value", "value", "end")
    for n, word in enumerate(WORDS):
        canvas.note(LEFT - 10, row(n) + 18, word, "query", "end")
        canvas.note(column(n) + WIDE / 2, TOP - 24, word, "key", "middle")
        canvas.note(column(n) + WIDE / 2, TOP - 6, str(VALUES[n // CHUNK][n % CHUNK]), "value", "middle")
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
    below, said = row(3) + CELL, []
    canvas.note(LEFT - 10, below + 54, WORDS[-1], "query", "end")
    canvas.note(LEFT - 10, below + 72, "keeps", "query", "end")
    for j, part in enumerate(kept_of_the_last()):
        x = column(j * CHUNK) + WIDE
        canvas.line((x, below + 5), (x, below + 20))
        three(canvas, x, below + 24, part, width=96)
        said.append(f"m = {part.m}, l = {float(part.l):g} and o = {float(part.o):g}")
    canvas.line((column(CHUNK - 1) + WIDE - 3, below + 57), (column(CHUNK) + WIDE - 51, below + 57))
    return canvas.finish(
        "Scores in tiles",
        f"The scores of four tokens, {', '.join(WORDS)}, with a row for each query and a column for each key, are cut"
        " into four tiles of two by two. Tile 1 has the first two queries and keys, tile 2 the last two queries and the"
        " first two keys, tile 3 the last two of both; in tiles 1 and 3 the score above the diagonal is minus infinity."
        f" The last query has the scores {', '.join(map(str, SCORES[-1]))}, and the values of the keys are"
        f" {', '.join(str(value) for pair in VALUES for value in pair)}."
        f" Of it are kept, after tile 2, {said[0]}, and after tile 3, {said[1]}."
        " The fourth tile, the first two queries and the last two keys, is left out: the causal mask hides all of it.",
    )
