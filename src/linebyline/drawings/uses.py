"""What a text-to-text model is for."""

import textwrap

from .kit import Canvas, Drawing

SENTENCE = ("The boy washes", "the bicycle.")
# The prefix of a task, and what is to be written then, in one line or two.
NAMED = (
    ("translate English to Swedish:", ("Pojken tvättar", "cykeln.")),
    ("plural:", ("The boys wash", "the bicycles.")),
    ("reverse:", ("Bicycle the", "washes boy the.")),
)


def named_tasks() -> Drawing:
    """Draw one model that does three tasks with a sentence, each named by the words in front of it."""
    canvas, height = Canvas(302), 92
    canvas.box(160, 4, 40, 294, "", role="weight")
    for line, word in enumerate(("one", "T5")):
        canvas.text(180, 143 + 20 * line, word, "bold")
    for number, (prefix, answer) in enumerate(NAMED):
        y = 78 + height * number
        lines = textwrap.wrap(prefix, 20)
        for line, part in enumerate(lines):
            canvas.note(4, y - 30 - 17 * (len(lines) - 1 - line), part, "weight")
        for x, words, kind in ((67, SENTENCE, ""), (291, answer, "lit")):
            canvas.add("rect", x=x - 65, y=y - 22, width=130, height=44, rx=14, class_=f"token {kind}".strip())
            for line, part in enumerate(words):
                canvas.note(x, y - 4 + 18 * line, part, kind and "bold", "middle")
        canvas.line((132, y), (156, y))
        canvas.line((200, y), (222, y))
    said = "; ".join(f"after '{prefix}' it becomes '{' '.join(answer)}'" for prefix, answer in NAMED)
    return canvas.finish(
        "One model, and the task in words",
        f"Three times the same model reads the sentence '{' '.join(SENTENCE)}' with other words in front: {said}.",
    )
