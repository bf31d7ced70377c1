"""A source word that is hidden from the decoder only, and from the encoder as well: where it still can be read.

A second drawing shows both ways of the word to the decoder, and the places where they can be cut.
"""

import math
from collections.abc import Collection, Sequence

from .kit import CELL, Canvas, Drawing

WORDS, HIDDEN = ("the", "old", "car"), 1
SOURCE, ROWS, DECODER = 34, 142, 284  # middle of the source, left edges of H and of the decoder
OWN, REST = 36, 76  # widths of the two parts of a row of H: its word, and what it holds of other words
STEP, PANEL = 44, 200  # from one word to the next, and height of a panel
FAR = 70  # from one word to the next where a way is labeled between them


def hidden_from() -> Drawing:
    """Draw both ways to hide *old*: its row of H is not read, or no other row can have read it."""
    canvas = Canvas(2 * PANEL - 6)
    maybe = ("the", "car")
    _panel(canvas, 0, "Hidden from the decoder only", ("den", "0.77"), ("+ old?", "", "+ old?"), maybe=maybe)
    _panel(canvas, PANEL, "Hidden from the encoder, too", ("bilen", "0.89"), ("no old", "", "no old"), gone=True)
    return canvas.finish(
        "Two ways to hide the word old",
        "Above, the encoder reads 'the', 'old' and 'car'. The row of 'old' in H is crossed out, but dashed arrows from"
        " 'old' to the rows of the other two words ask whether they contain something of it, and the decoder writes"
        " 'den' with 0.77. Below, 'old' is crossed out before the encoder, so no row of H contains it, and the decoder"
        " writes 'bilen' with 0.89.",
    )


def _panel(
    canvas: Canvas,
    top: float,
    title: str,
    writes: tuple[str, str],
    holds: Sequence[str],
    *,
    maybe: Collection[str] = (),
    gone: bool = False,
) -> None:
    """Draw the source, H and the decoder; what is hidden is crossed out, and each row says what else it ``holds``.

    Other rows ``maybe`` hold something of the hidden word. If it is ``gone``, the encoder cannot read it.
    """
    canvas.text(4, top + 18, title, "bold", "start")
    levels = [top + 72 + STEP * n for n in range(len(WORDS))]
    _headings(canvas, top + 46)
    canvas.box(DECODER, levels[0] - 16, 72, 2 * STEP + 32, "decoder")
    canvas.note(DECODER + 36, levels[1] + 10, "writes", anchor="middle")
    canvas.text(DECODER + 36, levels[1] + 29, writes[0], "bold")
    canvas.note(DECODER + 36, levels[1] + 47, writes[1], anchor="middle")
    for n, (word, what, y) in enumerate(zip(WORDS, holds, levels, strict=True)):
        canvas.token(SOURCE, y, word, 60)
        wide = OWN + (REST if what else 0)
        if n != HIDDEN or not gone:
            canvas.line((SOURCE + 32, y), (ROWS - 4, y), kind="key")
            canvas.matrix(ROWS, y - CELL / 2, [[word]], "key", cell=OWN)
            role = "value" if what.startswith("+") and "old" in what else "key"  # does it hold the hidden word?
            if what:
                canvas.matrix(ROWS + OWN, y - CELL / 2, [[what]], role, cell=REST)
        if n == HIDDEN:
            x, half = (SOURCE, 26) if gone else (ROWS + OWN / 2, OWN / 2 + 8)
            canvas.add("path", d=f"M{x - half} {y + 13}L{x + half} {y - 13}", class_="cross")  # the word stays legible
            continue
        canvas.line((ROWS + wide + 3, y), (DECODER - 4, y), kind="weight")
        side = 7 if y < levels[HIDDEN] else -7
        ends = (SOURCE + 32, levels[HIDDEN] - side), (ROWS - 4, y + side)
        if word in maybe:
            (x0, y0), (x, y) = ends
            far = 8 / math.hypot(x - x0, y - y0)  # a short end with a full arrowhead
            short = x + far * (x0 - x), y + far * (y0 - y)
            canvas.line(ends[0], short, kind="off value", arrow=False)
            canvas.line(short, ends[1], kind="neutral")


def two_ways() -> Drawing:
    """Draw the two ways of *old* to the decoder, by its row and by that of *car*, and where each can be cut."""
    old, car = 52.0, 52.0 + FAR
    canvas = Canvas(car + 28)
    _headings(canvas, 18)
    canvas.box(DECODER, old - 22, 72, FAR + 44, "decoder")
    canvas.note(DECODER + 36, (old + car) / 2 + 10, "writes", anchor="middle")
    canvas.text(DECODER + 36, (old + car) / 2 + 29, "den", "bold")
    for word, y in (("old", old), ("car", car)):
        canvas.token(SOURCE, y, word, 60)
        canvas.matrix(ROWS, y - CELL / 2, [[word]], "value" if word == "old" else "key", cell=OWN)
    canvas.matrix(ROWS + OWN, car - CELL / 2, [["+ old"]], "value", cell=REST)
    canvas.line((SOURCE + 32, car), (ROWS - 4, car), kind="key")
    for ends in (
        ((SOURCE + 32, old), (ROWS - 4, old)),
        ((SOURCE + 32, old + 8), (ROWS - 4, car - 8)),
        ((ROWS + OWN + 3, old), (DECODER - 4, old)),
        ((ROWS + OWN + REST + 3, car), (DECODER - 4, car)),
    ):
        canvas.line(*ends, kind="value", width=2.5)
    x, y = (ROWS + OWN + DECODER) / 2, (old + car) / 2
    canvas.add("path", d=f"M{x - 7} {old + 13}L{x + 7} {old - 13}", class_="cross", style="stroke-width:2.5")
    canvas.note(x, old + 31, "cut 1", "bold", "middle")
    x = (SOURCE + 32 + ROWS - 4) / 2
    canvas.add("path", d=f"M{x - 14} {y + 6}L{x + 14} {y - 6}", class_="cross", style="stroke-width:2.5")
    canvas.note(x - 20, y + 9, "cut 2", "bold", "end")
    return canvas.finish(
        "Two ways of the word old to the decoder",
        "Thick arrows lead from the source word 'old' to its own row of H and from there to the decoder, which writes"
        " 'den', and also from 'old' to the row of 'car', which holds something of 'old', and from there to the"
        " decoder. Cut 1 is between the row of 'old' and the decoder, cut 2 between 'old' and the row of 'car'.",
    )


def _headings(canvas: Canvas, y: float) -> None:
    """Write what the columns are: the source, the encoder and its output."""
    canvas.note(SOURCE, y, "source", anchor="middle")
    canvas.note((SOURCE + 30 + ROWS) / 2, y, "encoder", anchor="middle")
    canvas.add("text", "H", x=ROWS + (OWN + REST) / 2, y=y, text_anchor="middle", style="font-style:italic")
