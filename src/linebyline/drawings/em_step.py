"""One step of expectation-maximization for Unigram: words are divided among their cuts, and pieces counted."""

from fractions import Fraction

from .kit import Canvas, Drawing

TEXT = {"icecream": 3, "ice": 1}
CUTS: dict[str, tuple[tuple[str, ...], ...]] = {"icecream": (("icecream",), ("ice", "cream")), "ice": (("ice",),)}
PIECES = ("ice", "cream", "icecream")
WIDTHS = {"ice": 40, "cream": 60, "icecream": 84}
QUARTERS = {Fraction(1, 4): "¼", Fraction(3, 4): "¾", Fraction(1): "1"}
COLUMNS = (212, 262, 322)  # the middle of each count


def shares() -> dict[tuple[str, ...], Fraction]:
    """Return how often each cut is counted, when all pieces are equally likely.

    Example:
        >>> {"|".join(cut): float(share) for cut, share in shares().items()}
        {'icecream': 2.25, 'ice|cream': 0.75, 'ice': 1.0}
    """
    p, found = Fraction(1, len(PIECES)), dict[tuple[str, ...], Fraction]()
    for word, times in TEXT.items():
        total = sum(p ** len(cut) for cut in CUTS[word])
        found |= {cut: times * p ** len(cut) / total for cut in CUTS[word]}
    return found


def counts() -> dict[str, Fraction]:
    """Return how often each piece is counted."""
    return {v: sum((share * cut.count(v) for cut, share in shares().items()), Fraction(0)) for v in PIECES}


def em_step() -> Drawing:
    """Draw the cuts of each word, how often each is counted, and the probabilities that follow."""
    canvas, y, found = Canvas(344), 164, counts()
    canvas.note(4, 18, "the words, divided among their cuts", "bold")
    x = 4.0
    for word in (word for word, times in TEXT.items() for _ in range(times)):
        width, at = 84, x
        for cut in CUTS[word]:
            part = shares()[cut] / TEXT[word]
            size, role = float(part) * width, "weight" if len(cut) == 1 else ""
            canvas.add("rect", x=at, y=30, width=size, height=30, class_=f"cell {role}".strip(), fill_opacity=0.25)
            canvas.note(at + size / 2, 50, QUARTERS[part], "", "middle")
            at += size
        canvas.note(x + width / 2, 78, word, "", "middle")
        x += width + 5
    canvas.line((4, 94), (356, 94), arrow=False)
    canvas.note(4, 118, "cuts of the words", "bold")
    canvas.note(268, 118, "counted toward", "bold", "middle")
    for x, piece in zip(COLUMNS, PIECES, strict=True):
        canvas.note(x, 138, piece, "", "middle")
    for cut, share in shares().items():
        x = 4
        for piece in cut:
            canvas.token(x + WIDTHS[piece] / 2, y, piece, WIDTHS[piece])
            x += WIDTHS[piece] + 4
        canvas.text(x + 4, y + 5, f"× {float(share):g}", "", "start", 14)
        for at, piece in zip(COLUMNS, PIECES, strict=True):
            if piece in cut:
                canvas.text(at, y + 5, f"{float(share):g}", size=14)
        y += 42
    canvas.line((184, y - 14), (356, y - 14), arrow=False)
    total = sum(found.values())
    for words, numbers in (
        ("sum", [f"{float(found[v]):g}" for v in PIECES]),
        (f"divided by {float(total):g}", [f"{float(found[v] / total):.2f}" for v in PIECES]),
    ):
        canvas.note(4, y + 11, words, "bold")
        for at, number in zip(COLUMNS, numbers, strict=True):
            canvas.text(at, y + 11, number, "bold", size=14)
        y += 34
    said = ", ".join(f"{'|'.join(cut)} {float(share):g}" for cut, share in shares().items())
    new = ", ".join(f"{v} {float(found[v] / total):.2f}" for v in PIECES)
    return canvas.finish(
        "One step of expectation-maximization",
        "In the text, icecream occurs three times and ice once. Three bars for icecream are divided into 0.75 and 0.25,"
        f" and one bar for ice is whole. Each cut counts by its fraction of its word: {said}. Added up"
        f" for each piece and divided by the sum, {float(total):g}, the counts give new probabilities: {new}.",
    )
