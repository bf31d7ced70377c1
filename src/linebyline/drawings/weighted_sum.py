"""Why a weight does not prove a need: a head's weights, values and products, and what hiding a word does to them."""

from typing import Any

from .kit import Canvas, Drawing, number

WORDS, WEIGHTS, VALUES = ("ice", "cream", "Dan"), (0.4, 0.5, 0.1), (4, 1, 0)
PANELS = (
    ("Nothing is hidden", ()),
    ("“cream” is hidden", ("cream",)),
    ("“ice” is hidden", ("ice",)),
    ("Both are hidden", ("ice", "cream")),
)
RIVAL = 0.4  # what speaks for another word, *Dan*
LEFT, WIDE, STEP, PANEL = (82, 178, 282), 66, 30, 198  # left edges of the bars, and the distances of rows and panels
LARGEST = (1, 4, 4)  # a full bar


def weights_without(*hidden: str) -> list[float]:
    """Return the weights of all words, renormalized if some of them are hidden.

    Example:
        >>> [round(weight, 2) for weight in weights_without("ice")]
        [0.0, 0.83, 0.17]
    """
    kept = [0 if word in hidden else weight for word, weight in zip(WORDS, WEIGHTS, strict=True)]
    return [weight / sum(kept) for weight in kept]


def weighted_sum() -> Drawing:
    """Draw four panels with weights, values and their products as bars, and with the sum beside its rival."""
    canvas, said = Canvas(len(PANELS) * PANEL - 8), []
    for n, (title, hidden) in enumerate(PANELS):
        top, weights = n * PANEL, weights_without(*hidden)
        products = [weight * value for weight, value in zip(weights, VALUES, strict=True)]
        canvas.text(4, top + 16, title, "bold", "start")
        for x, heading, role in zip(LEFT, ("weight", "value", "product"), ("weight", "value", "key"), strict=True):
            canvas.note(x + WIDE / 2, top + 40, heading, "" if role == "key" else role, "middle")
        for i, (word, *numbers) in enumerate(zip(WORDS, weights, VALUES, products, strict=True)):
            y = top + 62 + STEP * i
            canvas.token(36, y, word, 64)
            if word in hidden:
                canvas.add("path", d=f"M10 {y + 13}L62 {y - 13}", class_="cross")
                continue
            for column, (x, what) in enumerate(zip(LEFT, numbers, strict=True)):
                role = ("weight", "value", "neutral")[column]
                place: dict[str, Any] = {"x": x, "y": y - 11, "height": 22}
                canvas.add("rect", **place, width=WIDE * what / LARGEST[column], class_=f"filled {role}")
                canvas.add("rect", **place, width=WIDE, class_=f"empty {role}")
                canvas.text(x + WIDE / 2, y + 5, number(what), size=13)
            canvas.text((LEFT[0] + WIDE + LEFT[1]) / 2, y + 5, "·")
            canvas.text((LEFT[1] + WIDE + LEFT[2]) / 2, y + 5, "=")
        y, total = top + 62 + STEP * len(WORDS), sum(products)
        writes = "glass" if total > RIVAL else "Dan"
        canvas.text(4, y + 5, f"writes {writes}", "bold", "start")
        canvas.note(LEFT[2] - 10, y + 5, "sum", "bold", "end")
        canvas.add("rect", x=LEFT[2], y=y - 11, width=WIDE * total / LARGEST[2], height=22, class_="filled neutral")
        canvas.add("rect", x=LEFT[2], y=y - 11, width=WIDE, height=22, class_="empty neutral")
        canvas.text(LEFT[2] + WIDE / 2 + 6, y + 5, number(total), "bold", size=13)
        rival = LEFT[2] + WIDE * RIVAL / LARGEST[2]
        canvas.line((rival, y - 15), (rival, y + 15), kind="off", arrow=False)
        canvas.note(rival, y + 29, f"Dan: {number(RIVAL)}", anchor="middle")
        said.append(
            f"{title}: the weights are {', '.join(map(number, weights))}, the products"
            f" {', '.join(map(number, products))}, and their sum is {number(total)}, so the model writes '{writes}'"
        )
    values = ", ".join(map(number, VALUES))
    return canvas.finish(
        "Weight times value",
        f"Four panels with bars for the words {', '.join(WORDS)}, whose values are {values}; the rival 'Dan' has"
        f" {number(RIVAL)}. {'. '.join(said)}.",
    )
