"""The encoder: what a word may look at, which tokens are hidden and asked for, and what is read from its states."""

import math
from collections.abc import Sequence

from .kit import Canvas, Drawing

TEXT = ("Jane", "visits", "Africa", "in", "September", "and", "loves", "elephants")
READ = {1: "[MASK]", 4: "cream", 7: "elephants"}  # what the model reads in the places that are asked for
P_TRUE = {1: 0.5, 4: 0.1, 7: 0.8}  # the probabilities of the true tokens
SIGHTS = {"decoder": 3, "encoder": 4}  # how many words of a phrase "ice" may look at
PHRASES = (("Dan", "loves", "ice", "cream"), ("Dan", "loves", "ice", "skates"))
FRAMED = ("[CLS]", "he", "ran", "home", "[SEP]")
CLASS, TAGS, STARTS, ENDS = "past", ("subject", "verb", "place"), ("0.1", "0.4", "2.3"), ("0.2", "0.3", "2.1")


def both_sides() -> Drawing:
    """Draw what the word "ice" may look at in two phrases, in a decoder and in an encoder."""
    canvas, said = Canvas(296), []
    for number, (stack, sight) in enumerate(SIGHTS.items()):
        y = 20 + 152 * number
        canvas.text(4, y, f"In the {stack}, ice looks at", "bold", "start")
        for row, phrase in enumerate(PHRASES):
            for place, word in enumerate(phrase):
                x, middle = 48 + 88 * place, y + 34 + 56 * row
                canvas.token(x, middle, word, 78, "lit" if word == "ice" else "")
                if place < sight:
                    canvas.text(x, middle + 32, "✓", "weight")
            said.append(f"{stack}: {' '.join(phrase[:sight])}")
    return canvas.finish(
        "What a word may look at", f"Below each word that 'ice' may look at is a check. {'; '.join(said)}."
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
    return canvas.finish(
        "Hidden tokens", f"The text is {' '.join(TEXT)}. Three tokens are asked for: {'; '.join(said)}."
    )


def read_outs() -> Drawing:
    """Draw the states of a framed text, and three ways to read answers from them."""
    canvas, places = Canvas(534), [38 + 71 * t for t in range(len(FRAMED))]
    inner = list(enumerate(places))[1:-1]
    tasks = (("one answer for the text", 18, 58, [0]), ("one answer for each word", 122, 162, [1, 2, 3]))
    for title, y, below, used in (*tasks, ("a span: two scores for each word", 226, 298, [1, 2, 3])):
        canvas.text(4, y, title, "bold", "start")
        for t in used:
            canvas.line((places[t], below + 32), (places[t], below + 3))
            canvas.note(places[t] + 8, below + 26, f"h_{t}", "")
    canvas.bar(places[0], 44, 1, 66, CLASS)
    for (_, x), tag in zip(inner, TAGS, strict=True):
        canvas.bar(x, 148, 1, 66, tag)
    for y, words, scores in ((252, "start", STARTS), (284, "end", ENDS)):
        canvas.note(places[0], y + 5, words, "", "middle")
        for (_, x), score in zip(inner, scores, strict=True):
            canvas.bar(x, y, float(score) / 3, 66, score)
    for t, x in enumerate(places):
        canvas.vector(x, 374, ["", "", ""], "layer", cell=18)
        canvas.note(x, 354, f"h_{t}", "", "middle")
        canvas.line((x, 418), (x, 390))
        canvas.line((x, 484), (x, 462))
        canvas.token(x, 502, FRAMED[t], 66)
    canvas.box(4, 420, 352, 40, "encoder", note="every token looks at all", role="weight")
    tags = ", ".join(f"{word} {tag}" for word, tag in zip(FRAMED[1:-1], TAGS, strict=True))
    return canvas.finish(
        "Three ways to read the states",
        f"The encoder reads {' '.join(FRAMED)} and gives a state for each token. The state of [CLS] gives the class,"
        f" {CLASS}; that of each word gives its tag: {tags}; and two scores for each word give a span: 'home' has the"
        " highest score as its start and as its end.",
    )
