"""An entry of a score matrix that mixes two hands: it prefers a place, so it helps one query and misleads another."""

import numpy as np

from .clock_hands import clock
from .kit import Canvas, Drawing, number

FAST, SLOW, BACK, TURN = 90, 30, 3, 4  # degrees per position, and positions; a turn of the fast hand is TURN positions
QUERIES, TOP, PANEL, ROW = (10, 14), 44, 150, 54
COLUMNS = {"key": 114, "slow": 172, "blocks": 230, "mixing": 286, "sum": 334}


def scores_of(query: int, key: int, entry: float = 1.0) -> tuple[float, float]:
    """Return the score from the blocks of two hands, and from an entry for fast cosine of query, slow cosine of key.

    Example:
        >>> [round(each, 2) for key in (7, 3) for each in scores_of(10, key)]
        [2.0, 0.87, 0.5, 0.0]
    """
    apart = np.deg2rad((query - BACK - key) * np.array([FAST, SLOW]))
    query_fast, key_slow = np.cos(np.deg2rad([query * FAST, key * SLOW]))
    return float(np.cos(apart).sum()), round(float(entry * query_fast * key_slow), 12)


def mixed_hands() -> Drawing:
    """Draw the scores of two keys for two queries: once the right key wins, and once the key a turn too far back."""
    canvas, said = Canvas(TOP + len(QUERIES) * PANEL - 14), []
    for name, x in {"query": 46, **COLUMNS}.items():
        canvas.note(x, 16, name, {"query": "query", "slow": "key"}.get(name, "bold"), "middle")
    canvas.note(46, 32, "fast hand", "query", "middle")
    canvas.note(COLUMNS["slow"], 32, "hand", "key", "middle")
    for panel, query in enumerate(QUERIES):
        y, right = TOP + panel * PANEL, query - BACK
        if panel:
            canvas.line((8, y - 8), (352, y - 8), kind="quiet", arrow=False, width=1)
        angle = float(np.deg2rad(query * FAST % 360))
        canvas.token(46, y + 24, str(query), 42)
        clock(canvas, 46, y + 70, np.array([np.sin(angle), np.cos(angle)]), angle, 22, "query")
        canvas.note(46, y + 114, f"cosine {number(float(np.cos(angle)))}", "query", "middle")
        keys = (right, right - TURN)
        sums = [sum(scores_of(query, key)) for key in keys]
        for i, key in enumerate(keys):
            at, turned = y + 26 + i * (ROW + 10), float(np.deg2rad(key * SLOW % 360))
            canvas.token(COLUMNS["key"], at, str(key), 40, "lit" if key == right else "")
            canvas.note(COLUMNS["key"], at + 29, "right" if key == right else "a turn off", anchor="middle")
            clock(canvas, COLUMNS["slow"], at, np.array([np.sin(turned), np.cos(turned)]), turned, 18, "key")
            canvas.note(COLUMNS["slow"], at + 32, number(round(float(np.cos(turned)), 12)), "key", "middle")
            by_blocks, by_mixing = scores_of(query, key)
            canvas.text(COLUMNS["blocks"], at + 5, number(by_blocks))
            canvas.text(COLUMNS["mixing"], at + 5, number(by_mixing))
            canvas.text(COLUMNS["sum"], at + 5, number(sums[i]), "bold" if sums[i] == max(sums) else "quiet")
            said.append(
                f"query {query}, key {key}: blocks {number(by_blocks)}, mixing {number(by_mixing)}, sum"
                f" {number(sums[i])}"
            )
    return canvas.finish(
        "An entry that mixes two hands",
        "Two queries, 10 and 14, whose fast hands both point straight down, and for each the right key and the key one"
        f" turn of the fast hand further back, with their slow hands. The scores are: {'; '.join(said)}. So the right"
        " key wins at query 10, and the wrong key wins at query 14.",
    )
