"""The buckets of distances in two directions, seen from one word of a sentence."""

from clearformer import functional as F

from .kit import Canvas, Drawing

WORDS, QUERY = ("the", "boy", "washes", "the", "bicycle", "."), 2  # a sentence, and the place that asks
GAP = 4


def buckets() -> list[int]:
    """Return the bucket of each key.

    Example:
        >>> buckets()
        [2, 1, 0, 5, 6, 6]
    """
    sizes = {"n_buckets": 8, "max_distance": 8}
    found: list[int] = F.relative_buckets(len(WORDS), **sizes, bidirectional=True)[QUERY].tolist()
    return found


def two_directions() -> Drawing:
    """Draw the words of a sentence, how far each is from the query, and the bucket that it falls into."""
    canvas, found = Canvas(176), buckets()
    widths = [(15 if t != QUERY else 25) + 7 * len(word) for t, word in enumerate(WORDS)]
    lefts = [74 + sum(widths[:t]) + GAP * t for t in range(len(WORDS))]
    places = [left + width / 2 for left, width in zip(lefts, widths, strict=True)]
    half = widths[QUERY] / 2 + 4
    canvas.note(places[QUERY] - half, 18, "behind", "bold", "end")
    canvas.note(places[QUERY] + half, 18, "ahead", "bold")
    for start, end, role in ((-half, lefts[0], "weight"), (half, lefts[-1] + widths[-1], "layer")):
        canvas.line((places[QUERY] + start, 34), (end, 34), kind=role)
    for t, (word, x) in enumerate(zip(WORDS, places, strict=True)):
        role, kind = "layer" if t > QUERY else "weight", "token lit" if t == QUERY else "token"
        canvas.add("rect", x=lefts[t], y=50, width=widths[t], height=28, rx=14, class_=kind)
        canvas.note(x, 69, word, "bold" if t == QUERY else "", "middle")
        canvas.note(x, 106, str(abs(t - QUERY)), "", "middle")
        canvas.line((x, 114), (x, 136), kind=role)
        canvas.matrix(x - 13, 140, [[f"{found[t]}"]], role, cell=26)
    for y, words in ((69, "word"), (106, "distance"), (158, "bucket")):
        canvas.note(4, y, words, "")
    each = "; ".join(f"{word}, {abs(t - QUERY)}, {found[t]}" for t, word in enumerate(WORDS))
    return canvas.finish(
        "Buckets in two directions",
        f"The words of a sentence, seen from {WORDS[QUERY]}, each with its distance and its bucket: {each}",
    )
