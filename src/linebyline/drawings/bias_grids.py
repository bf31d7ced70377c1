"""What is added to the scores for the distance of query and key: the numbers of ALiBi, and the buckets of T5."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number

WORDS, SLOPE, BUCKETS, REACH = 5, 0.5, 4, 8
LEFTS, WIDE = (24, 202), 31
TOP = 62


def bias_grids() -> Drawing:
    """Draw the biases of six words: those of ALiBi with the slope 1/2, and the buckets that T5 would give them."""
    positions = np.arange(WORDS)
    distance = positions[:, None] - positions  # (T, S)
    buckets = F.relative_buckets(WORDS, WORDS, n_buckets=BUCKETS, max_distance=REACH, bidirectional=False)
    canvas = Canvas(TOP + WORDS * CELL + 26)
    titles = ("ALiBi, slope ½", "computed"), ("buckets", "learned: b_0 to b_3")
    for x, (title, note) in zip(LEFTS, titles, strict=True):
        middle = x + WORDS * WIDE / 2
        canvas.text(middle, 18, title, "bold")
        canvas.note(middle, 38, note, anchor="middle")
        canvas.note(middle, TOP + WORDS * CELL + 18, "key at 0 to 4", "key", "middle")
    for t, s in np.ndindex(WORDS, WORDS):
        for i, x in enumerate(LEFTS):
            place = {"x": x + s * WIDE, "y": TOP + t * CELL, "width": WIDE, "height": CELL}
            if s > t:
                canvas.add("rect", **place, class_="off")
                continue
            strength = (1 - distance[t, s] / WORDS) if i == 0 else 1 - buckets[t, s] / BUCKETS
            words = number(float(-SLOPE * distance[t, s])) if i == 0 else f"b_{buckets[t, s]}"
            canvas.add("rect", **place, class_="cell weight", fill_opacity=round(0.05 + 0.45 * float(strength), 2))
            canvas.text(x + (s + 0.5) * WIDE, TOP + t * CELL + 18, words, size=13)
    for t in range(WORDS):
        canvas.note(14, TOP + t * CELL + 18, str(t), "query", "end")
    canvas.note(4, TOP - 10, "query", "query")
    last = ", ".join(str(bucket) for bucket in buckets[-1])
    return canvas.finish(
        "Two biases for the distance",
        "Two grids of five queries by five keys, with later keys masked. In the first, the score of a key loses a half"
        f" for each step back: {', '.join(number(-SLOPE * d) for d in distance[-1])} in the last row. In the second,"
        f" each cell has the learned number of its bucket, and far distances share one: {last} in the last row.",
    )
