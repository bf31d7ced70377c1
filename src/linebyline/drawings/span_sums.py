"""How an answer is read as a span: each word of a passage gets two scores, and the best allowed sum wins."""

from typing import Any

from .kit import CELL, Canvas, Drawing

QUESTION, PASSAGE = ("[CLS]", "where", "?", "[SEP]"), ("he", "ran", "home")
STARTS, ENDS = (0.1, 0.4, 2.3), (0.2, 2.4, 2.1)
SLOTS = (47, 51, 27, 47, 46, 46, 48, 46)  # the width that each token takes
WIDE, LEFT, TOP = 46, 173, 240  # a cell and the corner of the grid of sums


def sums() -> dict[tuple[int, int], float]:
    """Return the sum of the two scores of each span that does not end before it starts.

    Example:
        >>> max(sums().items(), key=lambda each: each[1])
        ((2, 2), 4.4)
    """
    n = len(PASSAGE)
    return {(i, j): round(STARTS[i] + ENDS[j], 1) for i in range(n) for j in range(i, n)}


def span_sums() -> Drawing:
    """Draw a question and a passage, the two scores of each word of the passage, and the sums of the spans."""
    canvas, words = Canvas(TOP + 3 * CELL + 8), (*QUESTION, *PASSAGE, "[SEP]")
    canvas.box(2, 50, 356, 28, "encoder", role="weight")
    for t, word in enumerate(words):
        x, n = 1 + sum(SLOTS[:t]) + SLOTS[t] / 2, t - len(QUESTION)
        passage = 0 <= n < len(PASSAGE)
        canvas.add(
            "rect",
            x=x - SLOTS[t] / 2 + 1,
            y=6,
            width=SLOTS[t] - 2,
            height=24,
            rx=12,
            class_="token lit" if passage else "token",
        )
        canvas.note(x, 23, word, "", "middle")
        canvas.line((x, 32), (x, 48))
        canvas.line((x, 80), (x, 96))
        canvas.note(x, 113, f"h_{t}", "bold" if passage else "quiet", "middle")
        for row, scores in enumerate((STARTS, ENDS) if passage else ()):
            canvas.matrix(x - 20, 129 + 34 * row, [[scores[n]]], "weight", top=12, cell=40)
    for row, name in enumerate(("score as start", "score as end")):
        canvas.note(LEFT - 8, 147 + 34 * row, name, "", "end")
    canvas.text(4, TOP - 8, "start + end", "bold", "start")
    canvas.note(LEFT - 8, TOP - 8, "to", "", "end")
    best = max(sums(), key=lambda each: sums()[each])
    for i, word in enumerate(PASSAGE):
        canvas.note(LEFT - 8, TOP + i * CELL + 18, f"from {word}", "", "end")
        canvas.note(LEFT + (i + 0.5) * WIDE, TOP - 8, word, "", "middle")
        for j in range(len(PASSAGE)):
            left, top = LEFT + j * WIDE, TOP + i * CELL
            if (i, j) in sums():
                canvas.matrix(left, top, [[sums()[i, j]]], "weight", top=12, cell=WIDE)
            else:
                canvas.add("rect", x=left, y=top, width=WIDE, height=CELL, class_="off")
    i, j = best
    place: dict[str, Any] = {"x": LEFT + j * WIDE, "y": TOP + i * CELL, "width": WIDE, "height": CELL}
    canvas.add("rect", **place, fill="none", stroke="currentColor", stroke_width=3)
    return canvas.finish(
        "Reading a span",
        f"The encoder reads {' '.join(words)}. Each word of the passage, {', '.join(PASSAGE)}, gets two scores: as the"
        f" start of the answer {', '.join(map(str, STARTS))}, and as its end {', '.join(map(str, ENDS))}. A triangle"
        " holds the sums of the spans that do not end before they start: "
        + ", ".join(f"{PASSAGE[i]} to {PASSAGE[j]} {total}" for (i, j), total in sums().items())
        + f". The largest is {sums()[best]}, from {PASSAGE[i]} to {PASSAGE[j]}.",
    )
