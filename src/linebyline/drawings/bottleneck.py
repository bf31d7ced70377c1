"""Translators before the Transformer: two recurrent networks with one vector between them, and with attention."""

from itertools import pairwise

from .kit import Canvas, Drawing

SOURCE, TARGET = ("Dan", "loves", "ice", "cream"), ("Dan", "älskar", "glass")
READS, WRITES = (22, 70, 116, 162), (236, 286, 338)
STATE, TALL = 36, 30  # size of a state
UPPER, LOWER = 96, 344  # height of the states in the two pictures


def bottleneck() -> Drawing:
    """Draw a recurrent translator without attention and with it."""
    canvas = Canvas(LOWER + 96)
    canvas.text(4, 20, "One vector in between", "bold", "start")
    _networks(canvas, UPPER)
    canvas.line((READS[-1] + STATE / 2, UPPER), (WRITES[0] - STATE / 2 - 2, UPPER), kind="value", width=3.5)
    canvas.note(4, UPPER - 34, "handed over: only h_4", "value")
    canvas.text(4, LOWER - 150, "With attention", "bold", "start")
    _networks(canvas, LOWER)
    canvas.line((READS[-1] + STATE / 2, LOWER), (WRITES[0] - STATE / 2 - 2, LOWER))
    _attention(canvas, LOWER - TALL / 2)
    canvas.note((READS[1] + READS[2]) / 2, LOWER + 88, "one word after another", anchor="middle")
    canvas.note(WRITES[1], LOWER + 88, "one after another", anchor="middle")
    return canvas.finish(
        "Recurrent translators",
        "A recurrent network reads 'Dan loves ice cream' one word after another and keeps one vector, its state, h1 to"
        " h4. A second network starts from h4, reads the start token and writes 'Dan'; it reads each word that it has"
        " written, and writes 'älskar' and 'glass'. Without attention, h4 is all that it gets. With attention, its"
        " state after 'Dan' is the query that is compared with h1 to h4, and their weighted average goes into the step"
        " that writes 'älskar'; the line from 'loves' is the thickest.",
    )


def _attention(canvas: Canvas, states: float) -> None:
    """Draw how one step of the second network looks at all states, whose upper edges are at a height."""
    top, low = states - 112, states - 68
    canvas.box(4, top, READS[-1] + STATE / 2 - 4, low - top, "compare, average")
    for x, word in zip(READS, SOURCE, strict=True):
        canvas.line((x, states), (x, low + 2), kind="key", width=3.5 if word == "loves" else 0)
    asks, right = (WRITES[0] + WRITES[1]) / 2, READS[-1] + STATE / 2
    canvas.line((asks, states + TALL / 2), (asks, low - 10), (right + 2, low - 10), kind="query")
    canvas.note(right + 14, low - 15, "query", "query")
    canvas.line((right, top + 10), (WRITES[1], top + 10), (WRITES[1], states - 2), kind="value", width=3.5)
    canvas.note(right + 14, top + 3, "weighted average", "value")


def _networks(canvas: Canvas, y: float) -> None:
    """Draw the states of the two networks, what the first reads, and what the second writes."""
    for xs, role in ((READS, "key"), (WRITES, "query")):
        for x, after in zip(xs, (*xs[1:], None), strict=True):
            canvas.add(
                "rect",
                x=x - STATE / 2,
                y=y - TALL / 2,
                width=STATE,
                height=TALL,
                class_=f"cell {role}",
                rx=4,
                fill_opacity=0.25,
            )
            if after is not None:
                canvas.line((x + STATE / 2, y), (after - STATE / 2 - 2, y), kind=role)
    for number, (x, word) in enumerate(zip(READS, SOURCE, strict=True), 1):
        canvas.text(x, y + 5, f"h_{number}")
        canvas.note(x, y + 62, word, "", "middle")
        canvas.line((x, y + 48), (x, y + TALL / 2 + 2))
    canvas.note(WRITES[0] + 14, y - 40, "<Swedish>", "", "end")
    canvas.line((WRITES[0] - 6, y - 34), (WRITES[0] - 6, y - TALL / 2 - 2))
    for x, word in zip(WRITES, TARGET, strict=True):
        canvas.note(x, y + 62, word, "bold", "middle")
        canvas.line((x, y + TALL / 2), (x, y + 46))
    for x, after in pairwise(WRITES):  # the word that was written is read in the next step
        canvas.line((x + 12, y + 48), (after - 8, y + TALL / 2 + 3))
