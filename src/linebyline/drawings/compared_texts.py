"""Text embeddings: each text becomes one vector, and a dot product says how close two texts are."""

from .kit import Canvas, Drawing, number

# The two lines of each text, and its vector.
QUESTION = (("How do I", "add up a row?"), (0.6, 0.8))
TEXTS = ((("Sum over", "an axis"), (0.8, 0.6)), (("Draw random", "numbers"), (0.8, -0.6)))


def products() -> list[float]:
    """Return the dot product of each text with the question.

    Example:
        >>> products()
        [0.96, 0.0]
    """
    (_, asked) = QUESTION
    return [round(sum(a * b for a, b in zip(asked, vector, strict=True)), 2) for _, vector in TEXTS]


def compared_texts() -> Drawing:
    """Draw the vectors of a question and of two texts as arrows from one point, and the dot products."""
    canvas, found = Canvas(312), products()
    (question, asked), (first, near), (second, far) = (QUESTION, *TEXTS)
    middle, unit = (36, 168), 150
    for end in ((36 + 1.1 * unit, 168), (36, 10), (36, 300)):
        canvas.line(middle, end, kind="off", arrow=False)
    notes = ("the question", f"dot product {number(found[0])}", f"dot product {number(found[1])}")
    heights = (26, 76, 236)
    for words, vector, note, y in zip((question, first, second), (asked, near, far), notes, heights, strict=True):
        role = "weight" if words == question else ""
        tip = (middle[0] + unit * vector[0], middle[1] - unit * vector[1])
        canvas.line(middle, tip, kind=role, width=2.5)
        x = tip[0] + 12
        canvas.note(x, y, " ".join(words), role or "bold")
        canvas.note(x, y + 18, f"({number(vector[0])}, {number(vector[1])}), {note}", "")
    said = [" ".join(words) for words, _ in (QUESTION, *TEXTS)]
    return canvas.finish(
        "Texts that are compared",
        f"Three arrows from one point. The question '{said[0]}' has the vector {asked}. The arrow of '{said[1]}',"
        f" {near}, is close to it, with the dot product {number(found[0])}; that of '{said[2]}', {far}, is at a right"
        f" angle to it, with the dot product {number(found[1])}.",
    )
