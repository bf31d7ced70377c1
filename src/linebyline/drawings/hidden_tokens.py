"""The encoder: what a word may look at, which tokens are hidden and predicted, and what is read from its states."""

import math
from collections.abc import Sequence

from .kit import CELL, Canvas, Drawing

TEXT = ("Jane", "visits", "Africa", "in", "September", "and", "loves", "elephants")
READ = dict.fromkeys((1, 4, 7), "[MASK]")  # what the model reads in place of the targets
P_TRUE = {1: 0.5, 4: 0.1, 7: 0.8}  # the probabilities of the true tokens
PHRASE, WIDE = ("Dan", "loves", "ice", "cream"), 36
FRAMED, QUESTION = ("[CLS]", "he", "ran", "home", "[SEP]"), ("[CLS]", "where", "?", "[SEP]")
CLASS, TAGS, STARTS, ENDS = "past", ("subject", "verb", "place"), ("0.1", "0.4", "2.3"), ("0.2", "0.3", "2.1")


def both_sides() -> Drawing:
    """Draw which words each word of a phrase may look at, in a decoder and in an encoder."""
    canvas, said, n = Canvas(184), [], len(PHRASE)
    for stack, edge in (("decoder", 52), ("encoder", 212)):
        canvas.text(edge + n * WIDE / 2, 18, f"In the {stack}", "bold")
        for i, word in enumerate(PHRASE):
            kind = "bold" if word == "ice" else ""
            canvas.note(edge + (i + 0.5) * WIDE, 44, word, "", "middle")
            canvas.note(46, 70 + i * CELL, word if stack == "decoder" else "", kind, "end")
            seen = n if stack == "encoder" else i + 1
            said.append(f"{stack}, {word}: {', '.join(PHRASE[:seen])}")
            for j in range(n):
                left, top = edge + j * WIDE, 52 + i * CELL
                fill = (0.5 if kind else 0.25) if j < seen else 0
                canvas.add("rect", x=left, y=top, width=WIDE, height=CELL, class_="cell weight", fill_opacity=fill)
                canvas.text(left + WIDE / 2, top + 18, "✓" if j < seen else "–", kind if j < seen else "quiet")
    canvas.note(356, 176, "✓ the word of the row looks at the word of the column", "", "end")
    return canvas.finish(
        "What a word may look at", f"Each row is a word, and the checks mark the words it looks at. {'; '.join(said)}."
    )


def mean_loss(p_true: Sequence[float] = tuple(P_TRUE.values())) -> float:
    """Return the mean of the negative logarithms.

    Example:
        >>> round(mean_loss(), 2)
        1.07
    """
    return sum(-math.log(p) for p in p_true) / len(p_true)


def hidden_tokens() -> Drawing:
    """Draw a text, what the model reads of it, and what it has to say, with the probability of each true token."""
    canvas, said = Canvas(62 + 36 * len(TEXT)), []
    for x, words in ((56, "text"), (174, "model reads"), (292, "must name")):
        canvas.text(x, 18, words, "bold")
    for t, word in enumerate(TEXT):
        y, read = 48 + 36 * t, READ.get(t, word)
        canvas.token(56, y, word, 94)
        canvas.token(174, y, read, 94, "lit" if t in READ else "")
        canvas.line((105, y), (124, y), kind="" if t in READ else "off", arrow=t in READ)
        if t in READ:
            canvas.line((223, y), (242, y))
            canvas.bar(289, y, P_TRUE[t], 86, word)
            canvas.note(336, y + 5, str(P_TRUE[t]), "")
            said.append(f"instead of {word} it reads {read}, and gives {word} the probability {P_TRUE[t]}")
    canvas.note(356, canvas.height - 10, f"mean of −ln p: {mean_loss():.2f}", "", "end")
    return canvas.finish("Hidden tokens", f"The text is {' '.join(TEXT)}. Three tokens are hidden: {'; '.join(said)}.")


def read_outs() -> Drawing:
    """Draw the states of a framed text, and three ways to read answers from them."""
    canvas, places = Canvas(530), [38 + 71 * t for t in range(len(FRAMED))]
    inner = list(enumerate(places))[1:-1]
    canvas.box(4, 60, 352, 40, "encoder", note="every token looks at all", role="weight")
    for t, x in enumerate(places):
        canvas.token(x, 18, FRAMED[t], 66)
        canvas.line((x, 36), (x, 57))
        canvas.line((x, 102), (x, 122))
        canvas.vector(x, 138, ["", "", ""], "layer", cell=18)
        canvas.note(x, 168, f"h_{t}", "", "middle")
    tasks = (("one answer for the text", 204, [0], 0), ("one answer for each word", 300, [1, 2, 3], 0))
    for title, y, used, more in (*tasks, ("a span: two scores for each word", 396, [1, 2, 3], len(QUESTION) - 1)):
        canvas.text(4, y, title, "bold", "start")
        if more:
            y += 24
            canvas.note(4, y, f"input: {' '.join((*QUESTION, *FRAMED[1:]))}", "")
        for t in used:
            canvas.line((places[t], y + 10), (places[t], y + 32))
            canvas.note(places[t] + 8, y + 26, f"h_{t + more}", "")
    canvas.bar(places[0], 252, 1, 66, CLASS)
    for (_, x), tag in zip(inner, TAGS, strict=True):
        canvas.bar(x, 348, 1, 66, tag)
    for y, words, scores in ((468, "start", STARTS), (500, "end", ENDS)):
        canvas.note(places[0], y + 5, words, "", "middle")
        for (_, x), score in zip(inner, scores, strict=True):
            canvas.bar(x, y, float(score) / 3, 66, score)
    tags = ", ".join(f"{word} {tag}" for word, tag in zip(FRAMED[1:-1], TAGS, strict=True))
    return canvas.finish(
        "Three ways to read the states",
        f"The encoder reads {' '.join(FRAMED)} and gives a state for each token. The state of [CLS] gives the class,"
        f" {CLASS}; that of each word gives its tag: {tags}. For a span it reads {' '.join((*QUESTION, *FRAMED[1:]))},"
        " and each word of the passage gets two scores: 'home' has the highest score as the start of the answer and as"
        " its end.",
    )
