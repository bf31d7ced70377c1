"""The induction circuit: a head that marks each token with the one before, and a head that looks for the mark."""

from .kit import Canvas, Drawing

WORDS = ("start", "ice", "cream", "and", "ice")
COLUMNS = (26, 83, 151, 236, 321)  # the middle of each token
WIDE = (50, 56, 76, 86, 76)


def induction() -> Drawing:
    """Draw how two heads, in two layers, predict what followed the same token earlier."""
    canvas = Canvas(432)
    _mark(canvas)
    _look(canvas)
    return canvas.finish(
        "The induction circuit",
        "The text is 'ice cream and ice', after a start token."
        " In layer 1 a previous-token head copies each token to the next one, so that"
        " the position of 'cream' also holds the mark 'after ice'. In layer 2 an induction head at the last 'ice' asks"
        " which position is marked 'after ice'. The key at 'cream' matches, its value 'cream' is written"
        " as a guess beside 'ice, after and', and the LM head predicts 'cream'.",
    )


def _mark(canvas: Canvas) -> None:
    """Draw the tokens, the head that looks one token back, and what each position holds then."""
    canvas.box(2, 56, 356, 74, "", role="weight")
    canvas.text(180, 78, "layer 1: previous-token head", "bold")
    for i, (x, word, wide) in enumerate(zip(COLUMNS, WORDS, WIDE, strict=True)):
        canvas.token(x, 18, word, wide - 2)
        canvas.line((x, 32), (x, 54), kind="stream")
        if i > 1:
            canvas.line((COLUMNS[i - 1], 104), (x - 4, 104), kind="value", width=3 if i == 2 else 0)
            canvas.add("circle", cx=COLUMNS[i - 1], cy=104, r=4, class_="head value")
        canvas.line((x, 130), (x, 150), kind="stream")
        note = f"after {WORDS[i - 1]}" if i > 1 else ""
        canvas.box(x - wide / 2, 152, wide, 42, word, note=note, role="lit" if i == 2 else "")


def _look(canvas: Canvas) -> None:
    """Draw the head that asks for a mark, and the prediction."""
    canvas.box(2, 218, 356, 144, "", role="weight")
    canvas.text(180, 240, "layer 2: induction head", "bold")
    found, last = COLUMNS[2], COLUMNS[4]
    for x in COLUMNS:
        canvas.line((x, 194), (x, 216), kind="stream")
    canvas.note(last + 30, 268, "query: what is after ice?", "query", "end")
    canvas.line((last, 284), (found + 58, 284), kind="query")
    canvas.note(found, 289, "key: after ice", "key", "middle")
    canvas.line((found, 298), (found, 332), (last, 332), (last, 360), kind="value", width=3)
    canvas.note((found + last) / 2, 323, "value: cream", "value", "middle")
    canvas.line((last, 362), (last, 382), kind="stream")
    canvas.box(236, 384, 122, 44, "ice, after and", note="guess: cream", role="lit")
    canvas.line((236, 406), (166, 406), kind="stream")
    canvas.note(203, 396, "LM head", anchor="middle")
    canvas.token(126, 406, "cream", WIDE[-1], "lit")
    canvas.note(126 - WIDE[-1] / 2 - 6, 411, "prediction", anchor="end")
