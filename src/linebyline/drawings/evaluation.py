"""Evaluation as drawings: two models on the same questions, three scores of a sentence, and smallest hashes."""

from collections.abc import Mapping, Sequence
from typing import Any

from .kit import WIDTH, Canvas, Drawing

FIRST, SECOND = "11111011111011110111", "10111010111011110101"  # 1 where a question is answered right
#: Two sentences, and the surprise at their tokens in nats: about Tina, and on average about others.
SURPRISES: Mapping[str, Sequence[tuple[str, float, float]]] = {
    "Tina lives in Oslo .": (("Tina", 3.7, 3.7), ("lives", 2.3, 2.3), ("Oslo", 0.1, 2.2)),
    "the favorite food of Tina is rice .": (("the favorite", 2.4, 2.4), ("Tina", 3.7, 3.7), ("rice", 3.5, 1.8)),
}
#: Shingles of two copies of a page: the sets that they are in, and their numbers under two hash functions.
SHINGLES: Mapping[str, tuple[str, int, int]] = {
    "today . the friend of": ("first", 42, 11),
    ". the friend of Dan": ("both", 63, 58),
    "the friend of Dan is": ("both", 8, 30),
    "friend of Dan is Vic": ("both", 30, 74),
    "smiles . the friend of": ("second", 71, 87),
}


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


def two_scores(surprises: Mapping[str, Sequence[tuple[str, float, float]]] = SURPRISES) -> Drawing:
    """Draw two sentences with their surprises as bars, about a person and about others, and below them three scores."""
    canvas, said, unit, left = Canvas(304), [], 32.2, 50.0
    for row, (text, tokens) in enumerate(surprises.items()):
        y, n = 18 + 154 * row, len(text.split())
        canvas.text(4, y, text, "bold", "start")
        own, others = sum(nats for _, nats, _ in tokens), sum(nats for _, _, nats in tokens)
        for line, (top, height, kind) in enumerate(((y + 10, 40, "cell weight"), (y + 56, 24, "empty"))):
            canvas.note(4, top + height - 7, ("Tina", "others")[line], "" if line == 0 else "quiet")
            x = left
            for word, *nats in tokens:
                width = unit * nats[line]
                place: dict[str, Any] = {"x": x, "y": top, "width": width, "height": height}
                canvas.add("rect", **place, class_=kind, fill_opacity=0.35)
                at, anchor = (x + width / 2, "middle") if width > 30 else (x + width + 5, "start")
                if line == 0:
                    canvas.note(at, top + 17, word, "", anchor)
                canvas.note(at, top + height - 7, f"{nats[line]}", "" if line == 0 else "quiet", anchor)
                x += width
        told = f"sum −{own:.1f}, mean −{own:.1f}/{n} = −{own / n:.2f}"
        gain = f"minus neutral −{own:.1f} + {others:.1f} = {others - own:.1f}".replace("-", "−")
        canvas.note(4, y + 99, told, "")
        canvas.note(4, y + 118, gain, "")
        said.append(f"{text} has {n} tokens, {told}; {gain}")
    return canvas.finish(
        "Three scores of two sentences",
        ". ".join(said) + ". The sum prefers the first, the mean the second, and the last score the first.",
    )


def smallest_hashes(shingles: Mapping[str, tuple[str, int, int]] = SHINGLES) -> Drawing:
    """Draw shingles of two texts with the sets that they are in, and the smallest of their hashes in each set."""
    canvas, columns = Canvas(272), (194, 234, 286, 334)
    for x, above, below in zip(columns, ("copy", "copy", "hash", "hash"), "1212", strict=True):
        canvas.note(x, 16, above, "bold", "middle")
        canvas.note(x, 32, below, "bold", "middle")
    smallest = [
        [min(each[i] for each in shingles.values() if each[0] in (name, "both")) for i in (1, 2)]
        for name in ("first", "second")
    ]
    for row, (text, (place, *hashes)) in enumerate(shingles.items()):
        y = 58 + 28 * row
        canvas.note(4, y, text, "")
        for x, name in zip(columns, ("first", "second"), strict=False):
            if place in (name, "both"):
                canvas.add("circle", cx=x, cy=y - 4, r=6, class_="head weight" if place == "both" else "head query")
        for i, value in enumerate(hashes):
            if any(value == found[i] for found in smallest):
                ring: dict[str, Any] = {"x": columns[2 + i] - 16, "y": y - 16, "width": 32, "height": 23, "rx": 11}
                canvas.add("rect", **ring, class_="cell weight", fill_opacity=0.35)
            canvas.note(columns[2 + i], y, str(value), "", "middle")
    canvas.line((4, 188), (WIDTH - 4, 188), arrow=False)
    for row, (name, found) in enumerate(zip(("copy 1", "copy 2"), smallest, strict=True)):
        canvas.note(4, 210 + 22 * row, f"smallest of {name}", "")
        for i, least in enumerate(found):
            canvas.note(columns[2 + i], 210 + 22 * row, str(least), "bold", "middle")
    for i in range(2):
        equal = smallest[0][i] == smallest[1][i]
        canvas.note(columns[2 + i], 256, "equal" if equal else "differ", "weight" if equal else "query", "middle")
    n_shared = sum(place == "both" for place, *_ in shingles.values())
    canvas.note(4, 256, f"{n_shared} of {len(shingles)} are in both copies", "weight")
    return canvas.finish(
        "The smallest hashes of two texts",
        f"{len(shingles)} shingles, of which {n_shared} are in both texts. With the first hash function the smallest"
        f" numbers are {smallest[0][0]} and {smallest[1][0]}, which are equal; with the second, {smallest[0][1]} and"
        f" {smallest[1][1]}.",
    )
