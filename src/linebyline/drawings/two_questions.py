"""Two questions to two sentences: two heads ask one each, and a single head asks both and gets the same mean twice."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

WORDS = 6  # that "visits" can see: the two months, and four others, which answer neither question
KEYS = np.eye(WORDS, 2)  # (S, d_k): "from when?", "until when?"
JOURNEYS = {("May", "August"): (5, 8), ("August", "May"): (8, 5)}  # after "from", after "to"
QUERIES = {"from when?": (8, 0), "until when?": (0, 8), "both": (8, 8)}
KEY, VALUE, MIDDLES, WIDE, RIGHT = 104, 143, (186, 243, 318), 50, 354  # the middles of the columns
TOPS, STEP = (128, 308), 31  # where the rows of each sentence begin


def two_questions() -> Drawing:
    """Draw the weights of three queries on the words of two sentences, and what each of them returns."""
    canvas, said = Canvas(TOPS[1] + 4 * STEP + 20), []
    canvas.text(sum(MIDDLES[:2]) / 2, 15, "two heads", "bold")
    canvas.text(MIDDLES[2], 15, "one head", "bold")
    canvas.note(2, 34, "asks", "query")
    canvas.note(2, 70, "query", "query")
    for x, (question, query) in zip(MIDDLES, QUERIES.items(), strict=True):
        for line, word in enumerate(question.split()):
            canvas.note(x, 34 + 15 * line, word, "query", "middle")
        canvas.note(x, 70, f"({query[0]}, {query[1]})", "query", "middle")
    for top, (months, numbers) in zip(TOPS, JOURNEYS.items(), strict=True):
        canvas.text(2, top - 28, f"From {months[0]} to {months[1]}", "bold", "start", 14)
        first, second, mean = _sentence(canvas, top, months, np.array([*numbers, 0, 0, 0, 0], float))
        said.append(f"From {months[0]} to {months[1]}: {first} and {second} from two heads, {mean} from one")
    upper, lower = (top + 3 * STEP + 13 for top in TOPS)
    edge = MIDDLES[2] + WIDE / 2 + 3
    canvas.line((edge, upper), (RIGHT, upper), (RIGHT, lower), (edge, lower), kind="value", arrow=False, width=2)
    canvas.note(358, lower + 28, "the same", "value", "end")
    return canvas.finish("Two questions to two sentences", f"{'. '.join(said)}, which is the same number.")


def _sentence(canvas: Canvas, top: float, months: tuple[str, str], values: np.ndarray) -> list[str]:
    """Draw the words of a sentence with their keys, their values and their weights, and return the answers."""
    canvas.note(KEY, top - 8, "key", "key", "middle")
    canvas.note(VALUE, top - 8, "value", "value", "middle")
    for i, word in enumerate((*months, "4 others")):
        y = top + 13 + STEP * i
        canvas.text(2, y + 5, word, anchor="start", size=14)
        canvas.note(KEY, y + 5, f"({KEYS[i, 0]:.0f}, {KEYS[i, 1]:.0f})", "key", "middle")
        canvas.vector(VALUE, y, [values[i]], "value", top=9)
    y, answers = top + 13 + STEP * 3, []
    canvas.note(2, y + 5, "answer", "value")
    for x, query in zip(MIDDLES, QUERIES.values(), strict=True):
        weights = F.softmax(KEYS @ np.array(query))  # (S,)
        for i, weight in enumerate(weights[:3]):
            canvas.bar(x, top + 13 + STEP * i, weight, WIDE, f"{weight:.2f}" if weight > 0.01 else "0")
        answers.append(f"{weights @ values:.1f}")
        canvas.vector(x, y, answers[-1:], "value", cell=WIDE)
    return answers
