"""Where the last word of a text looks: curves from it to the words before, as wide as their weights."""

from collections.abc import Sequence

from .kit import Canvas, Drawing

TEXT = ("the", "size", "of", "x", "and", "the", "size", "of")
WEIGHTS = (0.01, 0.02, 0.04, 0.76, 0.01, 0.13, 0.01, 0.02)  # of a head of the language model that comes with the course


def looking_back(words: Sequence[str] = TEXT, weights: Sequence[float] = WEIGHTS) -> Drawing:
    """Draw the weights with which the last of some words attends to all of them."""
    canvas, gap, floor = Canvas(160), 5, 106
    room = canvas.width - 6 - gap * (len(words) - 1)
    letters = sum(len(word) + 2.4 for word in words)
    widths = [(len(word) + 2.4) * room / letters for word in words]
    middles = [3 + sum(widths[:s]) + gap * s + width / 2 for s, width in enumerate(widths)]
    last = middles[-1]
    for x, weight in zip(middles[:-1], weights[:-1], strict=True):
        high = floor - 14 - 0.28 * (last - x) - 14
        path = f"M{last:.1f} {floor - 15}C{last:.1f} {high:.1f} {x:.1f} {high:.1f} {x:.1f} {floor - 15}"
        canvas.add("path", d=path, class_="line weight", style=f"stroke-width:{0.6 + 9 * weight:.1f}")
    for s, (word, x, weight) in enumerate(zip(words, middles, weights, strict=True)):
        canvas.token(x, floor, word, widths[s], "lit" if s == len(words) - 1 else "")
        canvas.note(x, floor + 32, f"{weight:.2f}", "weight" if weight == max(weights) else "quiet", "middle")
    shares = ", ".join(f"{weight:.2f} for {word}" for word, weight in zip(words, weights, strict=True))
    return canvas.finish(
        "Where the last word looks",
        f"The words {' '.join(words)} in a row. Curves lead from the last word back to the others, and the wider the"
        f" curve, the larger the weight: {shares}.",
    )
