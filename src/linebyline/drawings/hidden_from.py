"""A source word that is hidden from the decoder only, and from the encoder as well: where it still can be read."""

from collections.abc import Collection

from .kit import CELL, Canvas, Drawing

WORDS, HIDDEN = ("the", "old", "car"), 1
SOURCE, ROWS, DECODER = 42, 166, 272  # middle of the source, left edges of H and of the decoder
PART, STEP, PANEL = 40, 44, 200  # width of a cell, from one word to the next, and height of a panel


def hidden_from() -> Drawing:
    """Draw both ways to hide *old*: its row of H is not read, or no other row can have read it."""
    canvas = Canvas(2 * PANEL - 6)
    _panel(canvas, 0, "Hidden from the decoder only", ("den", "0.77"), maybe=("the", "car"))
    _panel(canvas, PANEL, "Hidden from the encoder, too", ("bilen", "0.89"), gone=True)
    return canvas.finish(
        "Two ways to hide the word old",
        "Above, the encoder reads 'the', 'old' and 'car'. The row of 'old' in H is crossed out, but dashed arrows from"
        " 'old' to the rows of the other two words ask whether they contain something of it, and the decoder writes"
        " 'den' with 0.77. Below, 'old' is crossed out before the encoder, so no row of H contains it, and the decoder"
        " writes 'bilen' with 0.89.",
    )


def carried() -> Drawing:
    """Draw what one row has read in three panels, and what the decoder writes if it cannot read that of *old*."""
    panels = (
        ("“car” may look at all words", ("den", "0.77"), ("the", "old")),
        ("“car” may not look at “old”", ("bilen", "0.89"), ("the",)),
        ("“car” may look at no other word", ("den", "0.82"), ()),
    )
    canvas = Canvas(len(panels) * PANEL - 6)
    for n, (title, writes, read) in enumerate(panels):
        _panel(canvas, n * PANEL, title, writes, read=read)
    return canvas.finish(
        "What the row of car has read",
        "In all three panels the row of 'old' in H is crossed out. Above, arrows lead from 'the' and 'old' to the row"
        " of 'car', and the decoder writes 'den' with 0.77. In the middle, the arrow from 'old' is cut, and the decoder"
        " writes 'bilen' with 0.89. Below, both arrows are cut, and it writes 'den' with 0.82.",
    )


def _panel(
    canvas: Canvas,
    top: float,
    title: str,
    writes: tuple[str, str],
    *,
    maybe: Collection[str] = (),
    read: Collection[str] | None = None,
    gone: bool = False,
) -> None:
    """Draw the source, H and the decoder; what is hidden is crossed out.

    Other rows ``maybe`` hold something of the hidden word. If the words that the last one has ``read`` are given, the
    arrows from the others are crossed out. If the word is ``gone``, the encoder cannot read it.
    """
    canvas.text(4, top + 18, title, "bold", "start")
    levels = [top + 72 + STEP * n for n in range(len(WORDS))]
    canvas.note(SOURCE, top + 46, "source", anchor="middle")
    canvas.note((SOURCE + 30 + ROWS) / 2, top + 46, "encoder", anchor="middle")
    canvas.note(ROWS + PART, top + 46, "H", "bold", "middle")
    canvas.box(DECODER, levels[0] - 16, 82, 2 * STEP + 32, "decoder")
    canvas.note(DECODER + 41, levels[1] + 10, "writes", anchor="middle")
    canvas.text(DECODER + 41, levels[1] + 29, writes[0], "bold")
    canvas.note(DECODER + 41, levels[1] + 47, writes[1], anchor="middle")
    for n, (word, y) in enumerate(zip(WORDS, levels, strict=True)):
        canvas.token(SOURCE, y, word, 60)
        if n != HIDDEN or not gone:
            canvas.line((SOURCE + 32, y), (ROWS - 4, y), kind="key")
            canvas.matrix(ROWS, y - CELL / 2, [[word]], "key", cell=PART)
            inside = "?" if word in maybe else ""
            canvas.matrix(ROWS + PART, y - CELL / 2, [[inside]], "value" if inside else "key", cell=PART)
        if n == HIDDEN:
            x, wide = (SOURCE, 26) if gone else (ROWS + PART, PART)
            canvas.add("path", d=f"M{x - wide} {y + 13}L{x + wide} {y - 13}", class_="cross")  # the word stays legible
            continue
        canvas.line((ROWS + 2 * PART + 3, y), (DECODER - 4, y), kind="weight")
        side = 7 if y < levels[HIDDEN] else -7
        ends = (SOURCE + 32, levels[HIDDEN] - side), (ROWS - 4, y + side)
        if word in maybe:
            canvas.line(*ends, kind="off value")
    for n, word in enumerate(WORDS[:-1] if read is not None else ()):
        ends = (SOURCE + 32, levels[n] + 5), (ROWS - 4, levels[-1] - 11 + 5 * n)
        looked = word in (read or ())
        canvas.line(*ends, kind="value" if looked else "off value", width=looked)
        if not looked:
            at = 0.38 if n else 0.3
            middle, level = (start + at * (end - start) for start, end in zip(*ends, strict=True))
            canvas.add("path", d=f"M{middle - 9} {level - 9}l18 18m0 -18l-18 18", class_="cross")
