"""What a text-to-text model is for."""

import textwrap

from .kit import Canvas, Drawing

LETTERS = 16  # the drawing is shown small, beside the first paragraphs
SENTENCE = ("The boy washes", "the bicycle.")
# The prefix of a task, and what is to be written then, in one line or two.
NAMED = (
    ("translate English to Swedish:", ("Pojken tvättar", "cykeln.")),
    ("plural:", ("The boys wash", "the bicycles.")),
    ("reverse:", ("Bicycle the", "washes boy the.")),
)


def named_tasks() -> Drawing:
    """Draw one model that does three tasks with a sentence, each named by the words in front of it."""
    canvas, height = Canvas(326), 100
    canvas.box(160, 4, 40, 318, "", role="weight")
    for line, word in enumerate(("one", "T5")):
        canvas.text(180, 155 + 20 * line, word, "bold", size=LETTERS)
    for number, (prefix, answer) in enumerate(NAMED):
        y = 84 + height * number
        lines = textwrap.wrap(prefix, 18)
        for line, part in enumerate(lines):
            canvas.text(2, y - 33 - 19 * (len(lines) - 1 - line), part, "weight", "start", LETTERS)
        for x, words, kind in ((71, SENTENCE, ""), (289, answer, "lit")):
            canvas.add("rect", x=x - 69, y=y - 25, width=138, height=50, rx=14, class_=f"token {kind}".strip())
            for line, part in enumerate(words):
                canvas.text(x, y - 5 + 20 * line, part, size=LETTERS)
        canvas.line((141, y), (156, y))
        canvas.line((200, y), (216, y))
    said = "; ".join(f"after '{prefix}' it becomes '{' '.join(answer)}'" for prefix, answer in NAMED)
    return canvas.finish(
        "One model, and the task in words",
        f"Three times the same model reads the sentence '{' '.join(SENTENCE)}' with other words in front: {said}.",
    )
