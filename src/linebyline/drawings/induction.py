"""The induction circuit: a head that marks each token with the one before, and a head that looks for the mark."""

from .kit import SMALL, Canvas, Drawing

WORDS = ("start", "ice", "cream", "tea", "ice")
COLUMNS = (26, 83, 151, 236, 321)  # the middle of each token
WIDE = (50, 56, 76, 92, 76)


def induction() -> Drawing:
    """Draw how two heads, in two layers, predict what followed the same token earlier."""
    canvas = Canvas(436)
    _mark(canvas)
    _look(canvas)
    return canvas.finish(
        "The induction circuit",
        "The text is 'ice cream tea ice', after a start token. The vector of each token runs downward past two layers,"
        " which only add to it. In layer 1 a previous-token head adds each token to the vector of the next one, so that"
        " the position of 'cream' also holds the mark 'after ice'. In layer 2 an induction head at the last 'ice' asks"
        " which position is marked 'after ice'. The key at 'cream' matches, its value 'cream' is added"
        " as a guess beside 'ice, after tea', and the LM head predicts 'cream'.",
    )


def _mark(canvas: Canvas) -> None:
    """Draw the tokens, the head that looks one token back, and what each position holds then."""
    canvas.box(2, 44, 356, 98, "", role="weight")
    for i, (x, word, wide) in enumerate(zip(COLUMNS, WORDS, WIDE, strict=True)):
        canvas.token(x, 18, word, wide - 2)
        canvas.line((x, 32), (x, 152), kind="stream")
        canvas.box(x - wide / 2, 154, wide, 42, "", role="lit" if i == 2 else "")
        canvas.text(x, 173 if i > 1 else 180, word)
    title(canvas, 44, "layer 1: previous-token head")
    for i in (2, 3, 4):
        here, before = COLUMNS[i], COLUMNS[i - 1]
        canvas.line((before, 92), (here - 10, 118), kind="value", width=3 if i == 2 else 0)
        canvas.add("circle", cx=before, cy=92, r=4, class_="head value")
        canvas.plus(here, 121)
        canvas.note(here, 189, f"after {WORDS[i - 1]}", "value", "middle")


def _look(canvas: Canvas) -> None:
    """Draw the head that asks for a mark, and the prediction."""
    canvas.box(2, 212, 356, 152, "", role="weight")
    found, last = COLUMNS[2], COLUMNS[4]
    for x in COLUMNS:
        canvas.line((x, 196), (x, 382 if x == last else 364), kind="stream", arrow=x == last)
    title(canvas, 212, "layer 2: induction head")
    label(canvas, last - 10, 268, "query: after ice?", "query", anchor="end")
    canvas.line((last, 284), (found + 52, 284), kind="query")
    label(canvas, found, 289, "key: after ice", "key")
    canvas.add("circle", cx=found, cy=334, r=4, class_="head value")
    canvas.line((found, 334), (last - 12, 334), kind="value", width=3)
    canvas.plus(last, 334)
    label(canvas, (found + last) / 2, 322, "value: cream", "value")
    canvas.box(246, 384, 112, 46, "", role="lit")
    canvas.text(302, 403, "ice, after tea")
    canvas.note(302, 421, "guess: cream", "value", "middle")
    canvas.line((246, 407), (168, 407), kind="stream")
    canvas.note(206, 397, "LM head", anchor="middle")
    canvas.token(128, 407, "cream", WIDE[-1], "lit")
    canvas.note(128 - WIDE[-1] / 2 - 6, 412, "prediction", anchor="end")


def title(canvas: Canvas, y: float, words: str) -> None:
    """Write the title of a layer in a strip at the top of its box, which covers the streams."""
    canvas.add("rect", x=2, y=y, width=356, height=28, rx=6, class_="token", style="stroke:var(--weight)")
    canvas.text(180, y + 19, words, "bold")


def label(canvas: Canvas, x: float, y: float, words: str, kind: str, *, anchor: str = "middle") -> None:
    """Write small words over the streams, with a border that keeps them apart."""
    border = "paint-order:stroke;stroke:var(--paper);stroke-width:6px;stroke-linejoin:round"
    about = {"class_": kind, "text_anchor": anchor, "style": f"font-size:{SMALL}px;{border}"}
    canvas.add("text", words, x=x, y=y, **about)
