"""Translators before the Transformer: two recurrent networks with one vector between them, and with attention."""

from itertools import pairwise

from .kit import Canvas, Drawing

SOURCE, TARGET = ("Dan", "loves", "ice", "cream"), ("Dan", "älskar", "glass")
READS, WRITES = (22, 70, 116, 162), (236, 286, 338)
STATE, TALL = 36, 30  # size of a state


def bottleneck() -> Drawing:
    """Draw a recurrent translator without attention and with it."""
    canvas = Canvas(424)
    canvas.text(4, 20, "One vector in between", "bold", "start")
    _networks(canvas, 76)
    canvas.line((READS[-1] + STATE / 2, 76), (WRITES[0] - STATE / 2 - 2, 76), kind="value", width=3.5)
    canvas.note((READS[-1] + WRITES[0]) / 2, 52, "all that is handed over", "value", "middle")
    canvas.text(4, 208, "With attention", "bold", "start")
    _networks(canvas, 322)
    y = 322 - TALL / 2
    for x, word in zip(READS, SOURCE, strict=True):
        thick = 3.5 if word == "loves" else 0
        canvas.line((x, y), (x, 250), (WRITES[1], 250), kind="value", arrow=False, width=thick)
    canvas.line((WRITES[1], 250), (WRITES[1], y - 2), kind="value", width=3.5)
    canvas.line((WRITES[0], y), (WRITES[0], 254), kind="query")
    canvas.note(WRITES[0] - 6, 282, "query", "query", "end")
    canvas.note(180, 240, "for älskar, a weighted average of all four", "value", "middle")
    canvas.note((READS[1] + READS[2]) / 2, 412, "one word after another", anchor="middle")
    canvas.note(WRITES[1], 412, "one after another", anchor="middle")
    return canvas.finish(
        "Recurrent translators",
        "A recurrent network reads 'Dan loves ice cream' one word after another and keeps one vector, its state, h1 to"
        " h4. Without attention a second network gets h4 only, and writes 'Dan älskar glass' from it. With attention"
        " the second network gets a weighted average of h1 to h4 before it writes each word; the lines show it for"
        " 'älskar', and that of 'loves' is the thickest. Each written word is read in the next step.",
    )


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
    for x, word in zip(WRITES, TARGET, strict=True):
        canvas.note(x, y + 62, word, "bold", "middle")
        canvas.line((x, y + TALL / 2), (x, y + 46))
    for x, after in pairwise(WRITES):  # the word that was written is read in the next step
        canvas.line((x + 12, y + 48), (after - 8, y + TALL / 2 + 3))
