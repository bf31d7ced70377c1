"""The encoder: which tokens are hidden and predicted, and what is read from its states."""

import math
from collections.abc import Sequence

from .kit import Canvas, Drawing

TEXT = ("Jane", "visits", "Africa", "in", "September", "and", "loves", "elephants")
READ = dict.fromkeys((1, 4, 7), "[MASK]")  # what the model reads in place of the targets
P_TRUE = {1: 0.5, 4: 0.1, 7: 0.8}  # the probabilities of the true tokens
FRAMED = ("[CLS]", "he", "ran", "home", "[SEP]")
CLASS, TAGS = "past", ("pronoun", "verb", "adverb")


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
    """Draw the states of a framed text, and two ways to read answers from them, with the layers that do so."""
    canvas, places = Canvas(448), [38 + 71 * t for t in range(len(FRAMED))]
    canvas.box(4, 50, 352, 28, "encoder", role="weight")
    for t, x in enumerate(places):
        canvas.token(x, 18, FRAMED[t], 66)
        canvas.line((x, 34), (x, 48))
        canvas.line((x, 80), (x, 96))
        canvas.vector(x, 111, ["", "", ""], "layer", cell=18)
        canvas.note(x, 142, f"h_{t}", "bold", "middle")
    ways = (("one answer for the text", 176, [0], "W_class"), ("one answer for each word", 318, [1, 2, 3], "W_tag"))
    for title, y, used, layer in ways:
        canvas.text(4, y, title, "bold", "start")
        canvas.box(places[used[0]] - 34, y + 38, places[used[-1]] - places[used[0]] + 68, 26, layer, role="layer")
        for t, answer in zip(used, (CLASS,) if used == [0] else TAGS, strict=True):
            canvas.line((places[t], y + 12), (places[t], y + 36))
            canvas.note(places[t] + 8, y + 28, f"h_{t}", "bold")
            canvas.line((places[t], y + 66), (places[t], y + 80))
            canvas.token(places[t], y + 98, answer, 68)
    tags = ", ".join(f"{word} {tag}" for word, tag in zip(FRAMED[1:-1], TAGS, strict=True))
    return canvas.finish(
        "Two ways to read the states",
        f"The encoder reads {' '.join(FRAMED)} and gives a state for each token. The layer W_class reads the state of"
        f" [CLS] and gives the class, {CLASS}; one layer, W_tag, reads that of each word and gives its tag: {tags}.",
    )
