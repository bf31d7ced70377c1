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
    """Draw which row holds something of a hidden word, and what happens if its own word may not look there."""
    canvas = Canvas(2 * PANEL - 6)
    _panel(canvas, 0, "“car” has looked at “old”", ("den", "0.77"), found=("car",))
    _panel(canvas, PANEL, "“car” may not look at “old”", ("bilen", "0.89"), cut=("car",))
    return canvas.finish(
        "The row that holds something of the hidden word",
        "In both panels the row of 'old' in H is crossed out. Above, an arrow leads from 'old' to the row of 'car',"
        " which now holds something of it, 'word', and the decoder writes 'den' with 0.77. Below, this"
        " arrow is cut, and the decoder writes 'bilen' with 0.89.",
    )


def _panel(
    canvas: Canvas,
    top: float,
    title: str,
    writes: tuple[str, str],
    *,
    found: Collection[str] = (),
    maybe: Collection[str] = (),
    cut: Collection[str] = (),
    gone: bool = False,
) -> None:
    """Draw the source, H and the decoder; what is hidden is crossed out.

    Rows that are ``found`` hold something of the hidden word, and others ``maybe`` do; the arrow to those that are
    ``cut`` is crossed out. If the word is ``gone``, the encoder cannot read it.
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
            inside = "word" if word in found else "?" if word in maybe else ""
            canvas.matrix(ROWS + PART, y - CELL / 2, [[inside]], "value" if inside else "key", cell=PART)
        if n == HIDDEN:
            x, wide = (SOURCE, 26) if gone else (ROWS + PART, PART)
            canvas.add("path", d=f"M{x - wide} {y + 13}L{x + wide} {y - 13}", class_="cross")  # the word stays legible
            continue
        canvas.line((ROWS + 2 * PART + 3, y), (DECODER - 4, y), kind="weight")
        side = 7 if y < levels[HIDDEN] else -7
        ends = (SOURCE + 32, levels[HIDDEN] - side), (ROWS - 4, y + side)
        if word in {*found, *maybe, *cut}:
            canvas.line(*ends, kind="value" if word in found else "off value", width=word in found)
        if word in cut:
            middle, level = (ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2
            canvas.add("path", d=f"M{middle - 9} {level - 9}l18 18m0 -18l-18 18", class_="cross")
