"""Evaluation as drawings: two models on the same questions, two scores of a sentence, and smallest hashes."""

from collections.abc import Mapping, Sequence
from typing import Any

from .kit import WIDTH, Canvas, Drawing

FIRST, SECOND = "11111011111011110111", "10111010111011110101"  # 1 where a question is answered right
#: Two sentences, and the surprise at each of their tokens in nats.
SURPRISES: Mapping[str, Sequence[float]] = {
    "Tina lives in Oslo .": (3.7, 2.3, 0, 0.1, 0),
    "the favorite food of Tina is rice .": (1.2, 1.2, 0, 0, 3.7, 0, 3.5, 0),
}
SETS = {"the first": (17, 42, 8, 63), "the second": (42, 8, 63, 30)}
SHARED = {8, 42, 63}


def same_items() -> Drawing:
    """Draw twenty questions as boxes, once for each of two models, filled where the answer is right."""
    canvas, said = Canvas(152), []
    for row, (name, right) in enumerate((("first model", FIRST), ("second model", SECOND))):
        y = 30 + 58 * row
        n = right.count("1")
        canvas.text(4, y - 8, f"{name}: {n} of {len(right)} right", "bold", "start")
        for i, each in enumerate(right):
            only_one = FIRST[i] != SECOND[i]
            kind = "cell query" if only_one else "cell weight"
            place: dict[str, Any] = {"x": 4 + 17.6 * i, "y": y, "width": 15, "height": 24, "rx": 3}
            canvas.add("rect", **place, class_=kind if each == "1" else "empty", fill_opacity=0.6)
        said.append(f"the {name} is right in {n}")
    canvas.note(4, 140, "They differ on three questions only.", "query")
    return canvas.finish(
        "Two models, the same questions",
        f"Of {len(FIRST)} questions, {' and '.join(said)}. Both are wrong on the same three, and right on the same"
        " fourteen; on the three others, the first is right and the second is wrong.",
    )


def two_scores(surprises: Mapping[str, Sequence[float]] = SURPRISES) -> Drawing:
    """Draw two sentences with their surprises as one bar each, and below it their sum and their mean."""
    canvas, said, unit = Canvas(196), [], 34.0
    for row, (text, each) in enumerate(surprises.items()):
        y, x = 22 + 98 * row, 4.0
        canvas.text(4, y, text, "bold", "start")
        for word, nats in zip(text.split(), each, strict=True):
            if nats > 0.5:
                place: dict[str, Any] = {"x": x, "y": y + 12, "width": unit * nats, "height": 28}
                canvas.add("rect", **place, class_="cell weight", fill_opacity=0.35)
                canvas.note(x + unit * nats / 2, y + 31, word if nats > 1.5 else f"{nats}", "", "middle")
            x += unit * nats
        total, mean = sum(each), sum(each) / len(each)
        told = f"{len(each)} tokens: sum −{total:.1f}, mean −{mean:.2f}"
        canvas.note(4, y + 60, told, "")
        said.append(f"{text} has {told}")
    return canvas.finish(
        "Two scores of a sentence", "; ".join(said) + ". The sum prefers the first, the mean the second."
    )


def smallest_hashes(sets: Mapping[str, Sequence[int]] = SETS) -> Drawing:
    """Draw the hashes of two sets that share three of five items, and the smallest of each."""
    canvas, left, unit = Canvas(148), 14, 5.0
    for row, (name, hashes) in enumerate(sets.items()):
        y = 46 + 58 * row
        canvas.note(4, y - 26, f"hashes of {name} set", "bold")
        canvas.line((left, y), (WIDTH - 10, y), arrow=False)
        for each in hashes:
            kind = "head weight" if each in SHARED else "head query"
            canvas.add("circle", cx=left + unit * each, cy=y, r=7 if each == min(hashes) else 4, class_=kind)
            canvas.note(left + unit * each, y + 22, str(each), "bold" if each == min(hashes) else "", "middle")
    canvas.note(4, 142, "Smallest in both: 8, which they share.", "weight")
    return canvas.finish(
        "The smallest hash of two sets",
        f"Hashes are points on a line. {'; '.join(f'{name} set has {list(each)}' for name, each in sets.items())}."
        " Three of the five points are shared. The smallest of both sets is 8, a shared one.",
    )
