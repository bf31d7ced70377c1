"""The n-grams of a translation, and which of them are in the reference."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .kit import Canvas, Drawing

REFERENCE = tuple(["Jane", "köper", "inte", "den", "gamla", "bilen", "."])
WRITTEN = tuple(["Jane", "köper", "inte", "den", "nya", "bilen", "."])
NAMES = ("single words", "two words", "three words", "four words")
GAP, LINE = 3, 15  # between words, and from one bar to the next


def shared(n: int, written: Sequence[str], reference: Sequence[str]) -> list[bool]:
    """Return for each n-gram of what was written whether the reference has it, each as often as it is there."""
    left = Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
    found = []
    for i in range(len(written) - n + 1):
        part = tuple(written[i : i + n])
        found.append(left[part] > 0)
        left[part] -= 1
    return found


def ngrams(written: Sequence[str] = WRITTEN, reference: Sequence[str] = REFERENCE) -> Drawing:
    """Draw both sentences, and below each n-gram as a bar: full if it is in the reference, dashed if it is not."""
    edges = [4.0]  # where each word begins, and where the next would
    for ours, true in zip(written, reference, strict=True):
        bold = 16 if ours != true else 0  # bold words are wider
        edges.append(edges[-1] + 8.5 * max(len(ours), len(true)) + 12 + bold + GAP)
    canvas, y, said = Canvas(416), 46, []
    for title, words, other in (("reference", reference, written), ("written", written, reference)):
        canvas.note(4, y - 22, title)
        for i, word in enumerate(words):
            wide = edges[i + 1] - edges[i] - GAP
            canvas.token(edges[i] + wide / 2, y, word, wide, "" if word in other else "lit")
        y += 62
    y -= 36
    for n, name in enumerate(NAMES, start=1):
        found = shared(n, written, reference)
        canvas.note(4, y + 12, f"{name}: {sum(found)} of {len(found)}", "bold")
        said.append(f"{name}: {sum(found)} of {len(found)}")
        y += 20
        for i, hit in enumerate(found):
            x, wide = edges[i] + 3, edges[i + n] - edges[i] - GAP - 6
            kind, filled = ("cell weight", 0.5) if hit else ("off", 0)
            place: dict[str, Any] = {"x": x, "y": y + (i % n) * LINE, "width": wide, "height": 10, "rx": 5}
            canvas.add("rect", **place, class_=kind, fill_opacity=filled)
        y += n * LINE + 12
    return canvas.finish(
        "The n-grams of a translation that are in the reference",
        f"The reference is '{' '.join(reference)}', and '{' '.join(written)}' was written. Each n-gram is a bar below"
        f" its words, full if the reference has it: {'; '.join(said)}.",
    )
