"""A cap on the distances: every key beyond the last known distance is scored as if it were there."""

from .kit import Canvas, Drawing

LAST = 23  # the largest distance that training on 24 tokens shows
SHOWN = (0, 1, 2, None, 22, 23, 24, 25, None, 95)  # None where distances are left out
FIRST, STEP, WIDE, TOP, LOW = 24, 34.6, 32, 46, 108


def scored_as(distance: int, last: int = LAST) -> int:
    """Return the distance whose score a key gets.

    Example:
        >>> [scored_as(distance) for distance in (3, 23, 24, 95)]
        [3, 23, 23, 23]
    """
    return min(distance, last)


def capped() -> Drawing:
    """Draw some distances in a text of 96 tokens, and the distances whose scores they get."""
    canvas = Canvas(154)
    canvas.note(8, 18, "distance of the key", "")
    canvas.note(352, 18, "new distances", "query", "end")
    for place, distance in enumerate(SHOWN):
        x = FIRST + STEP * place
        if distance is None:
            canvas.text(x, TOP + 5, "…")
            canvas.text(x, LOW + 5, "…")
            continue
        new = distance > LAST
        canvas.token(x, TOP, str(distance), WIDE, "query" if new else "")
        canvas.line((x, TOP + 17), (x, LOW - 18), kind="query" if new else "")
        canvas.token(x, LOW, str(scored_as(distance)), WIDE, "lit" if new else "")
    canvas.note(8, LOW + 36, "is scored as if it were at this distance", "")
    return canvas.finish(
        "A cap",
        f"Distances of keys, from 0 to 95, each with an arrow to the distance whose score it gets. Up to {LAST} that is"
        f" its own; the new distances, 24, 25 and so on to 95, all get the score of {LAST}.",
    )
