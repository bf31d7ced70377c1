"""Where trained heads look from the last token of a line: a column of weights for each head."""

from collections.abc import Sequence

from .kit import Canvas, Drawing

FIRST, WIDE, STEP, TOP = 100, 50, 31, 48  # the middle of the first column, a bar, and the rows

LINE = "The shape of the array"
HEADS = (
    (0.07, 0.29, 0.32, 0.25, 0.08),
    (0.07, 0, 0.01, 0.92, 0),
    (0.91, 0.03, 0.01, 0.05, 0),
    (0.05, 0.01, 0.85, 0.08, 0.01),
)
SINGLE = (0.27, 0, 0.04, 0.69, 0)  # of the first models in the record of the study "heads"


def heads_on_line(
    line: str = LINE, heads: Sequence[Sequence[float]] = HEADS, single: Sequence[float] = SINGLE
) -> Drawing:
    """Draw the weights of several heads, and of a single one, on the words of a line, each of which is a token."""
    words, names = line.split(), [f"head {i}" for i in range(len(heads))]
    columns = {**dict(zip(names, heads, strict=True)), "single head": single}
    canvas, said = Canvas(TOP + STEP * len(words) + 4), []
    gap = 2  # between bars; the single head is a little apart
    canvas.note(FIRST + 1.5 * (WIDE + gap), 14, "four heads", "bold", "middle")
    canvas.note(360 - WIDE / 2 - 2, 14, "single", "bold", "middle")
    for s, word in enumerate(words):
        canvas.text(2, TOP + 13 + STEP * s, word, "bold" if s == len(words) - 1 else "", "start", 14)
    for i, (name, weights) in enumerate(columns.items()):
        x = FIRST + i * (WIDE + gap) if name in names else 360 - WIDE / 2 - 2
        canvas.note(x, 33, name if name in names else "head", anchor="middle")
        for s, weight in enumerate(weights):
            canvas.bar(x, TOP + 8 + STEP * s, weight, WIDE, f"{weight:.2f}" if weight >= 0.005 else "0")
        shares = ", ".join(f"{weight:.2f} for {word}" for word, weight in zip(words, weights, strict=True))
        said.append(f"{name}: {shares}")
    return canvas.finish(
        "Where the heads look", f"The weights of the last word on the words of the line {line}. {'. '.join(said)}."
    )
