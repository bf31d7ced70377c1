"""A translation with a mistake beside its reference: what follows the mistake, and what of it is right."""

from collections.abc import Sequence

from .kit import Canvas, Drawing

REFERENCE = ("Paul", "arbetar", "i", "december", "eftersom", "den", "gamla", "kvinnan", "sover")  # without what ends it
OWN = ("Paul", "arbetar", "i", "den", "gamla", "kvinnan", "eftersom", "kvinnan", "sover")  # it reads what it wrote
FORCED = ("Paul", "arbetar", "i", "den", "eftersom", "den", "gamla", "kvinnan", "sover")  # it reads the reference
TITLES = (("reads its", "own words"), ("", "reference"), ("reads the", "reference"))
MIDDLES, WIDE, TOP, STEP = (52, 180, 308), 92, 70, 34


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
    """Draw three columns, the mistake marked with a cross, and lines between what follows it in the same order."""
    first = next(t for t, (a, b) in enumerate(zip(OWN, REFERENCE, strict=False)) if a != b)
    canvas = Canvas(TOP + len(OWN) * STEP - 8)
    for x, (above, below) in zip(MIDDLES, TITLES, strict=True):
        canvas.text(x, 20, above, "bold")
        canvas.text(x, 38, below, "bold")
    y = TOP + (first + 0.5) * STEP
    canvas.line((4, y), (356, y), kind="off", arrow=False)
    said = []
    for x, words, side in ((MIDDLES[0], OWN, -1), (MIDDLES[2], FORCED, 1)):
        links = in_order(words[first + 1 :], REFERENCE[first + 1 :])
        for i, j in links:
            from_, to = (TOP + (first + 1 + t) * STEP for t in (j, i))
            ends = (MIDDLES[1] + side * WIDE / 2, from_), (x - side * WIDE / 2, to)
            canvas.line(*ends, kind="weight", arrow=False)
        kept = {first, *(first + 1 + i for i, _ in links)}
        for t, word in enumerate(words):
            canvas.token(
                x, TOP + t * STEP, word, WIDE, "lit" if t == first else "" if t < first or t in kept else "off"
            )
        level = TOP + first * STEP
        canvas.add("path", d=f"M{x + 24} {level - 5}l10 10m0 -10l-10 10", class_="cross")
        said.append(f"{len(links)} of {len(REFERENCE) - first - 1}")
    for t, word in enumerate(REFERENCE):
        canvas.token(MIDDLES[1], TOP + t * STEP, word, WIDE)
    return canvas.finish(
        "What follows a mistake",
        f"The reference is '{' '.join(REFERENCE)}'. If the model reads its own words, it writes '{' '.join(OWN)}'; if"
        f" it reads the reference, it says '{' '.join(FORCED)}'. The mistake is '{OWN[first]}' in place of"
        f" '{REFERENCE[first]}'. Of the words that should follow, {said[0]} are in the same order in the one, and"
        f" {said[1]} in the other.",
    )
