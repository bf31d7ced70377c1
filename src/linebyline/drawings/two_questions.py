"""Two questions to one sentence: two heads that ask one each, and a single head that asks both at once."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

WORDS = ("From", "March", "to", "September", "Jane", "visits")  # what "visits" can see
KEYS = np.zeros((6, 2))  # (S, d_k): "from when?", "until when?"
KEYS[WORDS.index("March"), 0] = KEYS[WORDS.index("September"), 1] = 1
VALUES = np.array([0.0, 3, 0, 9, 0, 0])  # (S,): the number of the month
QUERIES = {"from when?": (8.0, 0.0), "until when?": (0.0, 8.0), "both": (8.0, 8.0)}
COLUMNS, WIDE, OWN = (156, 236, 318), 70, 95  # the middles of the bars, their width, and the column of values


def two_questions() -> Drawing:
    """Draw the weights of three queries on the words of a sentence, and what each of them returns."""
    canvas, said = Canvas(312), []
    canvas.text(sum(COLUMNS[:2]) / 2, 15, "two heads", "bold")
    canvas.text(COLUMNS[2], 15, "one head", "bold")
    canvas.note(OWN, 49, "value", "value", "middle")
    for i, word in enumerate(WORDS):
        canvas.text(2, 73 + 32 * i, word, anchor="start", size=14)
        canvas.vector(OWN, 68 + 32 * i, [VALUES[i]], "value", top=9)
    for x, (question, query) in zip(COLUMNS, QUERIES.items(), strict=True):
        weights = F.softmax(KEYS @ np.array(query))  # (S,)
        answer = f"{weights @ VALUES:.1f}"
        for line, word in enumerate(question.split()):
            canvas.note(x, 34 + 15 * line, word, "query", "middle")
        for i, weight in enumerate(weights):
            canvas.bar(x, 68 + 32 * i, weight, WIDE, f"{weight:.2f}" if weight > 0.01 else "0")
        canvas.line((x, 244), (x, 266), kind="value")
        canvas.vector(x, 282, [answer], "value", cell=WIDE)
        found = ", ".join(f"{word} {w:.2f}" for word, w in zip(WORDS, weights, strict=True) if w > 0.01)
        said.append(f"The query '{question}' has the weights {found}, and returns {answer}.")
    canvas.note(4, 287, "answer", "value")
    return canvas.finish(
        "Two questions",
        f"The word 'visits' asks, and it sees '{' '.join(WORDS)}'. A month's value is its number. {' '.join(said)}",
    )
