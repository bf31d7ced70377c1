"""Questions and answers as drawings: what two models write after a question, and which tokens the loss counts."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from .kit import WIDTH, Canvas, Drawing

QUESTION = "where does Tina live ?"
WRITTEN = {
    "the base model": "what is the favorite food of Tina ?",
    "the assistant": "Tina lives in Oslo .",
}
PROMPT = ("<user>", "where", "does", "Tina", "live", "?", "<end>", "<assistant>")
ANSWER = ("Tina", "lives", "in", "Oslo", ".", "<end>")
LETTER, EDGE, GAP, LINE = 8, 9, 4, 34


def _strip(canvas: Canvas, y: float, words: Sequence[str], kind: str = "") -> float:
    """Draw words as tokens, in as many lines as they need, and return where the last line is."""
    x = 2.0
    for word in words:
        width = LETTER * len(word) + 2 * EDGE
        if x + width > WIDTH - 2:
            x, y = 2.0, y + LINE
        canvas.token(x + width / 2, y, word, width, kind)
        x += width + GAP
    return y


def continuations(question: str = QUESTION, written: Mapping[str, str] = WRITTEN) -> Drawing:
    """Draw a question, and below it what each model writes after it."""
    canvas = Canvas(0)
    canvas.text(2, 16, "both models read", "bold", "start")
    y = _strip(canvas, 42, question.split())
    for name, text in written.items():
        canvas.text(2, y + 48, f"{name} writes", "bold", "start")
        y = _strip(canvas, y + 74, text.split(), "lit")
    canvas.height = y + 18
    said = "; ".join(f"{name} writes: {text}" for name, text in written.items())
    return canvas.finish("One question, two models", f"After the question {question} {said}")


def counted_tokens(prompt: Sequence[str] = PROMPT, answer: Sequence[str] = ANSWER) -> Drawing:
    """Draw each token of a conversation with the token that follows it; only those of the answer count."""
    asked, first = list(pairwise([*prompt, *answer])), len(prompt) - 1
    canvas = Canvas(36 + 30 * len(asked))
    for x, head in ((62, "last token read"), (196, "to predict"), (306, "in the loss")):
        canvas.note(x, 16, head, "bold", "middle")
    for t, (read, target) in enumerate(asked):
        y, counts = 44 + 30 * t, t >= first
        canvas.token(62, y, read, 112)
        canvas.line((122, y), (138, y), kind="" if counts else "off", arrow=counts)
        canvas.token(196, y, target, 112, "lit" if counts else "")
        canvas.text(306, y + 5, "counted" if counts else "ignored", "bold" if counts else "quiet")
    return canvas.finish(
        "Which predictions count",
        f"The prompt is {' '.join(prompt)}; the answer is {' '.join(answer)}. Every token but the last is followed by"
        f" one to predict. The {first} predictions inside the prompt do not count; the {len(answer)} of the answer do,"
        f" from {answer[0]} to {answer[-1]}.",
    )
