"""Why a weight does not prove a need: a head's weights, values and products, and what hiding a word does to them."""

from typing import Any

from .kit import Canvas, Drawing, number

WORDS, WEIGHTS, VALUES = ("the", "old", "Jane"), (0.4, 0.5, 0.1), (4, 1, 0)
# What is done, and the words that are hidden.
PANELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Nothing is hidden", ()),
    ("“old” is hidden", ("old",)),
    ("“the” is hidden", ("the",)),
    ("Both are hidden", ("the", "old")),
)
RIVAL = 0.4  # what speaks for another word, *bilen*
LEFT, WIDE, STEP = (104, 194, 308), 46, 30  # left edges of the bars, after their numbers, and the distance of rows
HEADINGS, PANEL = 30, 178  # the space for the headings, and the height of a panel
LARGEST = (1, 4, 4)  # a full bar


def weights_without(*hidden: str) -> list[float]:
    """Return the weights of all words, renormalized if some of them are hidden.

    Example:
        >>> [round(weight, 2) for weight in weights_without("the")]
        [0.0, 0.83, 0.17]
    """
    kept = [0 if word in hidden else weight for word, weight in zip(WORDS, WEIGHTS, strict=True)]
    return [weight / sum(kept) for weight in kept]


def weighted_sum() -> Drawing:
    """Draw a panel for each test with weights, values and products as bars, and with the sum beside its rival."""
    canvas, said = Canvas(HEADINGS + len(PANELS) * PANEL - 4), []
    for x, heading, role in zip(LEFT, ("weight", "value", "product"), ("weight", "value", ""), strict=True):
        canvas.note(x + WIDE / 2, 16, heading, role, "middle")
    for n, (title, hidden) in enumerate(PANELS):
        top, weights = HEADINGS + n * PANEL, weights_without(*hidden)
        products = [weight * value for weight, value in zip(weights, VALUES, strict=True)]
        canvas.text(4, top + 16, title, "bold", "start")
        for i, (word, *numbers) in enumerate(zip(WORDS, weights, VALUES, products, strict=True)):
            y = top + 42 + STEP * i
            canvas.token(36, y, word, 64)
            if word in hidden:
                canvas.add("path", d=f"M10 {y + 13}L62 {y - 13}", class_="cross")
                continue
            for column, (x, what) in enumerate(zip(LEFT, numbers, strict=True)):
                role = ("weight", "value", "neutral")[column]
                place: dict[str, Any] = {"x": x, "y": y - 11, "height": 22}
                canvas.add("rect", **place, width=WIDE * what / LARGEST[column], class_=f"filled {role}")
                canvas.add("rect", **place, width=WIDE, class_=f"empty {role}")
                canvas.note(x - 4, y + 5, number(what), "", "end")
            canvas.text(LEFT[0] + WIDE + 11, y + 5, "·")
            canvas.text(LEFT[1] + WIDE + 11, y + 5, "=")
        y, total = top + 42 + STEP * len(WORDS), sum(products)
        writes = "den" if total > RIVAL else "bilen"
        canvas.text(4, y + 5, f"writes {writes}", "bold", "start")
        canvas.note(LEFT[2] - 44, y + 5, "sum", "bold", "end")
        canvas.note(LEFT[2] - 4, y + 5, number(total), "bold", "end")
        canvas.add("rect", x=LEFT[2], y=y - 11, width=WIDE * total / LARGEST[2], height=22, class_="filled neutral")
        canvas.add("rect", x=LEFT[2], y=y - 11, width=WIDE, height=22, class_="empty neutral")
        rival = LEFT[2] + WIDE * RIVAL / LARGEST[2]
        canvas.add(
            "path", d=f"M{rival} {y - 16}V{y + 17}", class_="cross", style="stroke-width:2.5;stroke-dasharray:5 3"
        )
        canvas.note(rival, y + 31, f"bilen: {number(RIVAL)}", "", "middle")
        said.append(
            f"{title}: the weights are {', '.join(map(number, weights))}, the products"
            f" {', '.join(map(number, products))}, and their sum is {number(total)}, so the model writes '{writes}'"
        )
    return canvas.finish(
        "Weight times value",
        f"Panels with bars for the words {', '.join(WORDS)}, whose values are {', '.join(map(number, VALUES))}; the"
        f" rival 'bilen' has {number(RIVAL)}. {'. '.join(said)}.",
    )
