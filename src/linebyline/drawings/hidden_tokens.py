"""The encoder: which tokens are hidden and predicted, and what is read from its states."""

import math
from collections.abc import Sequence

from .kit import Canvas, Drawing

TEXT = ("Jane", "visits", "Africa", "in", "September", "and", "loves", "elephants")
READ = dict.fromkeys((1, 4, 7), "[MASK]")  # what the model reads in place of the targets
P_TRUE = {1: 0.5, 4: 0.1, 7: 0.8}  # the probabilities of the true tokens
FRAMED, QUESTION = ("[CLS]", "he", "ran", "home", "[SEP]"), ("[CLS]", "where", "?", "[SEP]")
CLASS, TAGS, STARTS, ENDS = "past", ("subject", "verb", "place"), ("0.1", "0.4", "2.3"), ("0.2", "0.3", "2.1")


def mean_loss(p_true: Sequence[float] = tuple(P_TRUE.values())) -> float:
    """Return the mean of the negative logarithms.

    Example:
        >>> round(mean_loss(), 2)
        1.07
    """
    return sum(-math.log(p) for p in p_true) / len(p_true)


def hidden_tokens() -> Drawing:
    """Draw a text, what the model reads of it, the probability that it gives to each true token, and the loss."""
    canvas, said, bottom = Canvas(74 + 34 * len(TEXT)), [], 44 + 34 * len(TEXT)
    for x, words in ((51, "text"), (151, "model reads"), (250, "p"), (332, "−ln p")):
        canvas.text(x, 18, words, "bold")
    for t, word in enumerate(TEXT):
        y, read = 46 + 34 * t, READ.get(t, word)
        canvas.token(51, y, word, 94)
        canvas.token(151, y, read, 74, "lit" if t in READ else "")
        canvas.line((100, y), (112, y), kind="" if t in READ else "off", arrow=t in READ)
        if t in READ:
            canvas.line((189, y), (205, y))
            canvas.bar(250, y, P_TRUE[t], 82)
            canvas.note(352, y + 5, f"{mean_loss([P_TRUE[t]]):.2f}", "", "end")
            said.append(f"instead of {word} it reads {read}, and gives {word} the probability {P_TRUE[t]}")
    canvas.line((300, bottom - 10), (356, bottom - 10), arrow=False)
    canvas.note(352, bottom + 12, f"mean: {mean_loss():.2f}", "bold", "end")
    return canvas.finish(
        "Hidden tokens",
        f"The text is {' '.join(TEXT)}. Three tokens are hidden: {'; '.join(said)}. The mean of the negative logarithms"
        f" is {mean_loss():.2f}.",
    )


def read_outs() -> Drawing:
    """Draw the states of two framed texts, and three ways to read answers from them."""
    canvas, places = Canvas(602), [38 + 71 * t for t in range(len(FRAMED))]
    canvas.box(4, 50, 352, 28, "encoder", role="weight")
    for t, x in enumerate(places):
        canvas.token(x, 18, FRAMED[t], 66)
        canvas.line((x, 34), (x, 48))
        canvas.line((x, 80), (x, 96))
        canvas.vector(x, 111, ["", "", ""], "layer", cell=18)
        canvas.note(x, 142, f"h_{t}", "bold", "middle")
    for title, y, used in (("one answer for the text", 176, [0]), ("one answer for each word", 258, [1, 2, 3])):
        canvas.text(4, y, title, "bold", "start")
        for t, answer in zip(used, (CLASS,) if used == [0] else TAGS, strict=True):
            canvas.line((places[t], y + 10), (places[t], y + 30))
            canvas.note(places[t] + 8, y + 26, f"h_{t}", "bold")
            canvas.bar(places[t], y + 47, 1, 66, answer)
    _span(canvas, 354)
    tags = ", ".join(f"{word} {tag}" for word, tag in zip(FRAMED[1:-1], TAGS, strict=True))
    return canvas.finish(
        "Three ways to read the states",
        f"The encoder reads {' '.join(FRAMED)} and gives a state for each token. The state of [CLS] gives the class,"
        f" {CLASS}; that of each word gives its tag: {tags}. For a span it reads {' '.join((*QUESTION, *FRAMED[1:]))},"
        f" and each word of the passage gets two scores: as the start of the answer {', '.join(STARTS)}, and as its end"
        f" {', '.join(ENDS)}. The best span is 'home'.",
    )


def _span(canvas: Canvas, y: float) -> None:
    """Draw how a span is read: a question and a passage go in, and each word of the passage gets two scores."""
    words, step = (*QUESTION, *FRAMED[1:]), 45
    canvas.text(4, y, "a span: a start and an end", "bold", "start")
    canvas.box(2, y + 58, 356, 28, "encoder", role="weight")
    for t, word in enumerate(words):
        x, passage = 22.5 + step * t, len(QUESTION) <= t < len(words) - 1
        canvas.add("rect", x=x - 21, y=y + 16, width=42, height=24, rx=12, class_="token lit" if passage else "token")
        canvas.note(x, y + 33, word, "", "middle")
        canvas.line((x, y + 42), (x, y + 56))
        canvas.line((x, y + 88), (x, y + 104))
        canvas.note(x, y + 121, f"h_{t}", "bold" if passage else "quiet", "middle")
        for row, scores in enumerate((STARTS, ENDS) if passage else ()):
            score, top = scores[t - len(QUESTION)], y + 158 + 34 * row
            if score == max(scores, key=float):
                canvas.add("rect", x=x - 22, y=top - 16, width=44, height=32, rx=6, class_="token lit")
            canvas.bar(x, top, float(score) / 3, 36, score)
    for row, name in enumerate(("score as start", "score as end")):
        canvas.note(174, y + 163 + 34 * row, name, "", "end")
    canvas.note(356, y + 232, "outlined: the best start and the best end", "", "end")
