"""A preference as a drawing: two answers before and after some training, and the margin between them."""

import math
from collections.abc import Sequence

from .kit import WIDTH, Canvas, Drawing, number

QUESTION = "where does Tina live ?"
ANSWERS = ("Tina lives in Oslo .", "Oslo .")
BEFORE, AFTER, BETA = (0.08, 0.60), (0.16, 0.30), 0.5
BAR, LEFT = 236, 96


def preferred_answer(question: str = QUESTION, answers: Sequence[str] = ANSWERS) -> Drawing:
    """Draw a question with two answers of which a person prefers one."""
    canvas = Canvas(164)
    canvas.text(WIDTH / 2, 20, question, "bold")
    for y, answer, kind, word in zip((52, 116), answers, ("lit", ""), ("preferred", "not preferred"), strict=True):
        canvas.token(WIDTH / 2, y, answer, 210, kind)
        canvas.note(WIDTH / 2, y + 32, word, "bold" if kind else "quiet", "middle")
    return canvas.finish(
        "A question with two answers", f"Asked {question} a person prefers {answers[0]} to {answers[1]}"
    )


def margin(
    before: Sequence[float] = BEFORE, after: Sequence[float] = AFTER, beta: float = BETA, names: Sequence[str] = ANSWERS
) -> Drawing:
    """Draw the probability of two answers under the reference and after some training, and what follows from it."""
    canvas, gains = Canvas(282), [math.log(now / then) for then, now in zip(before, after, strict=True)]
    for i, (then, now) in enumerate(zip(before, after, strict=True)):
        y = 18 + 106 * i
        canvas.text(2, y, f"{('chosen', 'rejected')[i]}: {names[i]}", "bold", "start")
        for row, (word, p) in enumerate((("reference", then), ("now", now))):
            canvas.note(LEFT - 8, y + 29 + 30 * row, word, anchor="end")
            canvas.gauge(LEFT + BAR / 2, y + 24 + 30 * row, p, BAR)
            canvas.note(LEFT + BAR - 6, y + 29 + 30 * row, f"{p:.2f}", "bold", "end")
        canvas.note(LEFT, y + 86, f"change: ln({number(now)} / {number(then)}) = {number(gains[i])}")
    difference = gains[0] - gains[1]
    canvas.text(2, 240, f"difference of the changes: {number(difference)}", "", "start")
    canvas.text(2, 264, f"margin: {number(beta)} × {number(difference)} = {number(beta * difference)}", "bold", "start")
    return canvas.finish(
        "The margin of a pair",
        f"The chosen answer has the probability {before[0]} under the reference and {after[0]} now, the rejected one"
        f" {before[1]} and {after[1]}. The changes of the logarithms are {number(gains[0])} and {number(gains[1])};"
        f" their difference, {number(difference)}, times beta = {beta} is the margin {number(beta * difference)}.",
    )
