"""A source word that is hidden from the decoder only, and from the encoder as well: where it still can be read."""

from .kit import CELL, Canvas, Drawing

WORDS, HIDDEN = ("the", "old", "car"), 1
SOURCE, ROWS, DECODER = 42, 166, 272  # middle of the source, left edges of H and of the decoder
PART, STEP, PANEL = 40, 44, 200  # width of a cell, from one word to the next, and height of a panel


def hidden_from() -> Drawing:
    """Draw both ways to hide *old*: its row of H is not read, or no other row can have read it."""
    canvas = Canvas(2 * PANEL - 6)
    _panel(canvas, 0, "Hidden from the decoder only", ("den", "0.77"), encoder=False)
    _panel(canvas, PANEL, "Hidden from the encoder, too", ("bilen", "0.89"), encoder=True)
    return canvas.finish(
        "Two ways to hide the word old",
        "Above, the encoder reads 'the', 'old' and 'car', and arrows carry 'old' into the rows of H of the other two"
        " words. The row of 'old' is crossed out, but the decoder still finds 'old' in the other rows, and writes"
        " 'den' with 0.77. Below, 'old' is crossed out before the encoder, so no row of H contains it, and the decoder"
        " writes 'bilen' with 0.89.",
    )


def _panel(canvas: Canvas, top: float, title: str, writes: tuple[str, str], *, encoder: bool) -> None:
    """Draw the source, H and the decoder; what is hidden is crossed out."""
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
        gone = n == HIDDEN
        if not (gone and encoder):
            canvas.line((SOURCE + 32, y), (ROWS - 4, y), kind="key")
            canvas.matrix(ROWS, y - CELL / 2, [[word]], "key", cell=PART)
            carried = "" if gone or encoder else WORDS[HIDDEN]
            canvas.matrix(ROWS + PART, y - CELL / 2, [[carried]], "value" if carried else "key", cell=PART)
        if gone:
            x, wide = (SOURCE, 26) if encoder else (ROWS + PART, PART)
            down, up = (f"M{x - wide} {y - side}L{x + wide} {y + side}" for side in (13, -13))
            canvas.add("path", d=down + up, class_="cross")
        else:
            canvas.line((ROWS + 2 * PART + 3, y), (DECODER - 4, y), kind="weight")
            if not encoder:
                side = 7 if y < levels[HIDDEN] else -7
                canvas.line((SOURCE + 32, levels[HIDDEN] - side), (ROWS - 4, y + side), kind="value", width=1)
