"""Contrastive learning: the dot products of the questions and the texts of a batch."""

import numpy as np

from .kit import Canvas, Drawing, number

# The embeddings of three questions and of the texts that answer them, each of length 1, (3, 2).
QUESTIONS = np.array([[0.6, 0.8], [0.6, -0.8], [-1.0, 0.0]])
TEXTS = np.array([[0.8, 0.6], [0.8, -0.6], [-0.8, 0.6]])
ABOUT = ("sums", "sorting", "files")
WIDE, HIGH, LEFT, TOP = 76, 40, 128, 66


def dot_products() -> np.ndarray:
    """Return the dot product of each question, a row, with each text, a column, (3, 3)."""
    products: np.ndarray = QUESTIONS @ TEXTS.T  # (3, 3)
    return products


def pair_grid() -> Drawing:
    """Draw the dot products of three questions with three texts; on the diagonal are those that belong together."""
    canvas, scores, said = Canvas(TOP + 3 * HIGH + 32), dot_products(), []
    canvas.text(LEFT + 1.5 * WIDE, 18, "text on ...", "bold")
    canvas.text(4, 18, "question on ...", "bold", "start")
    for i, about in enumerate(ABOUT):
        canvas.note(LEFT + (i + 0.5) * WIDE, 40, about, "", "middle")
        canvas.note(LEFT + (i + 0.5) * WIDE, 58, _vector(TEXTS[i]), "quiet", "middle")
        canvas.note(4, TOP + i * HIGH + 18, about, "")
        canvas.note(4, TOP + i * HIGH + 34, _vector(QUESTIONS[i]), "quiet")
        for j, score in enumerate(scores[i]):
            x, y = LEFT + j * WIDE, TOP + i * HIGH
            fill = 0.5 if i == j else 0.06
            canvas.add("rect", x=x, y=y, width=WIDE, height=HIGH, class_="cell weight", fill_opacity=fill)
            canvas.text(x + WIDE / 2, y + 25, number(score), "bold" if i == j else "")
        said.append(f"question on {about}: {', '.join(map(number, scores[i]))}")
    canvas.note(356, TOP + 3 * HIGH + 22, "shaded: the question and its own text", "", "end")
    return canvas.finish(
        "The dot products of a batch",
        f"A grid with a row for each question and a column for each text, in the order {', '.join(ABOUT)}."
        f" {'; '.join(said)}. The largest of each row is on the diagonal.",
    )


def _vector(numbers: np.ndarray) -> str:
    return f"({', '.join(map(number, numbers))})"
