"""Causal attention of four tokens in blocks of two: which tiles of the scores are computed, and in which order."""

from .kit import CELL, SMALL, Canvas, Drawing

WORDS, CHUNK = ("Dan", "loves", "ice", "cream"), 2
SCORES = (1, 0, 3, 0)  # of the last query
LEFT, TOP, WIDE, GAP = 84.0, 58.0, 54, 12.0  # between one block and the next there is a gap


def computed() -> list[tuple[int, int]]:
    """Return the tiles that are computed, each by its block of queries and its block of keys, in their order.

    Example:
        >>> computed()
        [(0, 0), (1, 0), (1, 1)]
    """
    return [(i, j) for i in range(len(WORDS) // CHUNK) for j in range(i + 1)]


def tiles() -> Drawing:
    """Draw the scores of four tokens in four tiles, one of which is hidden by the causal mask and left out."""
    canvas = Canvas(TOP + 4 * CELL + GAP + 30)
    canvas.note(4, 18, "row: a query", "query")
    canvas.note(356, 18, "column: a key", "key", "end")

    def place(number: int, first: float, step: float) -> float:
        return first + number * step + number // CHUNK * GAP

    for n, word in enumerate(WORDS):
        canvas.note(LEFT - 8, place(n, TOP, CELL) + 18, word, "query", "end")
        canvas.note(place(n, LEFT, WIDE) + WIDE / 2, TOP - 8, word, "key", "middle")
    order = computed()
    for t in range(len(WORDS)):
        for s in range(len(WORDS)):
            x, y, tile = place(s, LEFT, WIDE), place(t, TOP, CELL), (t // CHUNK, s // CHUNK)
            seen = s <= t
            if tile in order:
                name = str(SCORES[s]) if t == len(WORDS) - 1 else f"tile {order.index(tile) + 1}"
                canvas.matrix(x, y, [[name if seen else "−∞"]], "weight" if seen else "", cell=WIDE)
    x, y = place(CHUNK, LEFT, WIDE), place(0, TOP, CELL)
    canvas.add("rect", x=x, y=y, width=CHUNK * WIDE, height=CHUNK * CELL, class_="off")
    canvas.text(x + CHUNK * WIDE / 2, y + CELL + 5, "left out", "quiet", size=SMALL)
    canvas.note(180, TOP + 4 * CELL + GAP + 20, "one tile is in memory at a time", anchor="middle")
    return canvas.finish(
        "Scores in tiles",
        f"The scores of four tokens, {', '.join(WORDS)}, with a row for each query and a column for each key, are cut"
        " into four tiles of two by two. Tile 1 has the first two queries and keys, tile 2 the last two queries and the"
        " first two keys, tile 3 the last two of both; in tiles 1 and 3 the score above the diagonal is minus infinity."
        f" The last query has the scores {', '.join(map(str, SCORES))}."
        " The fourth tile, the first two queries and the last two keys, is left out: the causal mask hides all of it.",
    )
