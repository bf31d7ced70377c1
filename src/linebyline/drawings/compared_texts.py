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
    """Draw a question and two texts that one encoder turns into vectors, and the dot products of these."""
    canvas, found = Canvas(312), products()
    rows = ((QUESTION, 40), (TEXTS[0], 152), (TEXTS[1], 264))
    canvas.box(138, 16, 74, 272, "", role="weight")
    canvas.text(175, 157, "encoder")
    for (words, vector), y in rows:
        for line, part in enumerate(words):
            canvas.text(4, y - 3 + 18 * line, part, "", "start")
        canvas.line((112, y), (136, y))
        canvas.line((214, y), (232, y))
        canvas.vector(286, y, [number(value) for value in vector], "layer", cell=46)
    for (_, y), product in zip(rows[1:], found, strict=True):
        canvas.note(286, y + 34, f"· question = {number(product)}", "bold", "middle")
    question, first, second = (" ".join(words) for (words, _), _ in rows)
    return canvas.finish(
        "Texts that are compared",
        f"One encoder turns the question '{question}' into the vector {QUESTION[1]}, and two texts into vectors, too."
        f" The dot product with '{first}' is {number(found[0])}, and with '{second}' it is {number(found[1])}.",
    )
