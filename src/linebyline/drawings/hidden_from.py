"""A source word that is hidden from the decoder only, and from the encoder as well: where it still can be read."""

from collections.abc import Collection, Sequence

from .kit import CELL, Canvas, Drawing

WORDS, HIDDEN = ("the", "old", "car"), 1
SOURCE, ROWS, DECODER = 34, 142, 284  # middle of the source, left edges of H and of the decoder
OWN, REST = 36, 76  # widths of the two parts of a row of H: its word, and what it holds of other words
STEP, PANEL = 44, 200  # from one word to the next, and height of a panel


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
    canvas.note(SOURCE, top + 46, "source", anchor="middle")
    canvas.note((SOURCE + 30 + ROWS) / 2, top + 46, "encoder", anchor="middle")
    canvas.note(ROWS + (OWN + REST) / 2, top + 46, "H", "bold", "middle")
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
            canvas.line(*ends, kind="off value")
