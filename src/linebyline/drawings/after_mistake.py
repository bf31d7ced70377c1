"""A translation with a mistake beside its reference: what follows the mistake, and what of it is right."""

from collections.abc import Sequence

from .kit import Canvas, Drawing

REFERENCE = ("förra", "veckan", "reparerade", "Marie", "inte", "stolarna")  # without the full stop
WRITTEN = ("förra", "veckan", "stängde", "Marie", "inte", "klänningarna")  # it reads what it wrote
MEANS = {
    "förra": "last",
    "veckan": "week",
    "reparerade": "repaired",
    "stängde": "closed",
    "Marie": "Marie",
    "inte": "not",
    "stolarna": "the chairs",
    "klänningarna": "the dresses",
}
TITLES = "reference", "written"
MIDDLES, WIDE, TOP, STEP = (96, 264), 122, 56, 56


def in_order(ours: Sequence[str], true: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence, in both."""
    best: list[list[list[tuple[int, int]]]] = [[[] for _ in range(len(true) + 1)] for _ in range(len(ours) + 1)]
    for i in range(len(ours)):
        for j in range(len(true)):
            if ours[i] == true[j]:
                best[i + 1][j + 1] = [*best[i][j], (i, j)]
            else:
                best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j], key=len)
    return best[-1][-1]


def after_mistake() -> Drawing:
    """Draw two columns, the mistake marked with a cross, and lines between what follows it in the same order."""
    first = next(t for t, (a, b) in enumerate(zip(WRITTEN, REFERENCE, strict=True)) if a != b)
    links = in_order(WRITTEN[first + 1 :], REFERENCE[first + 1 :])
    kept = {first + 1 + i for i, _ in links}
    canvas = Canvas(TOP + len(WRITTEN) * STEP - 12)
    for x, title, words in zip(MIDDLES, TITLES, (REFERENCE, WRITTEN), strict=True):
        canvas.text(x, 22, title, "bold")
        for t, word in enumerate(words):
            ours = words is WRITTEN
            kind = "lit" if ours and t == first else "off" if ours and t > first and t not in kept else ""
            canvas.token(x, TOP + t * STEP, word, WIDE, kind)
            canvas.note(x, TOP + t * STEP + 30, MEANS[word], anchor="middle")
    for i, j in links:
        ends = (
            (MIDDLES[0] + WIDE / 2, TOP + (first + 1 + j) * STEP),
            (MIDDLES[1] - WIDE / 2, TOP + (first + 1 + i) * STEP),
        )
        canvas.line(*ends, kind="weight", arrow=False)
    canvas.add("path", d=f"M{MIDDLES[1] + 46} {TOP + first * STEP - 5}l10 10m0 -10l-10 10", class_="cross")
    y = TOP + (first + 1) * STEP - 20
    canvas.line((4, y), (356, y), kind="off", arrow=False)
    return canvas.finish(
        "What follows a mistake",
        f"The reference is '{' '.join(REFERENCE)}', and '{' '.join(WRITTEN)}' was written. The mistake is"
        f" '{WRITTEN[first]}' in place of '{REFERENCE[first]}'. Of the {len(REFERENCE) - first - 1} words that should"
        f" follow, {len(links)} follow in the same order, and lines join them.",
    )
