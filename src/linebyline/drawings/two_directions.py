"""The buckets of distances in two directions, seen from one query."""

from clearformer import functional as F

from .kit import Canvas, Drawing

N, QUERY = 9, 5  # positions, and the one that asks
STEP = 31


def buckets() -> list[int]:
    """Return the bucket of each of the nine keys.

    Example:
        >>> buckets()
        [3, 2, 2, 1, 0, 5, 6, 6, 7]
    """
    found: list[int] = F.relative_buckets(N, n_buckets=8, max_distance=8, bidirectional=True)[QUERY - 1].tolist()
    return found


def two_directions() -> Drawing:
    """Draw nine positions, how far each is from the query, and the bucket that it falls into."""
    canvas, found = Canvas(176), buckets()
    places = [92 + STEP * t for t in range(N)]
    query = places[QUERY - 1]
    canvas.text(4, 18, "behind: buckets 0 to 3", "bold", "start")
    canvas.text(356, 18, "ahead: 5 to 7", "bold", "end")
    for start, end, role in ((query - 18, 76, "weight"), (query + 18, 356, "layer")):
        canvas.line((start, 36), (end, 36), kind=role)
    for t, x in enumerate(places):
        away, role = abs(t + 1 - QUERY), "layer" if t + 1 > QUERY else "weight"
        canvas.token(x, 64, str(t + 1), 28, "lit" if t + 1 == QUERY else "")
        canvas.note(x, 106, str(away), "", "middle")
        canvas.line((x, 114), (x, 136), kind=role)
        canvas.matrix(x - 13, 140, [[f"{found[t]}"]], role, cell=26)
    for y, words in ((69, "position"), (106, "distance"), (158, "bucket")):
        canvas.note(4, y, words, "")
    behind, ahead = found[:QUERY], found[QUERY:]
    return canvas.finish(
        "Buckets in two directions",
        f"Nine positions, and the query is the fifth. The keys from the first to the fifth fall into the buckets"
        f" {', '.join(map(str, behind))}; the four ahead into {', '.join(map(str, ahead))}.",
    )
