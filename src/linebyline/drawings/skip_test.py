"""A sequence that skips some symbols once: two rules that agree as long as it repeats itself now disagree."""

from .kit import Canvas, Drawing

PERIOD = "ABCDEFGH"
AGAIN = "E"  # where the sequence continues
WIDE, STEP, LEFT, FLOOR = 31, 35.5, 19, 78
GUESSES = {  # after E, F, G and H: what each rule says, and how the sequence continues
    "after": ("EFGH", ""),
    "the circuit says": ("FGHE", "value"),
    "the other rule says": ("AAAA", "key"),
    "next comes": ("FGHA", ""),
}
COUNTED = 3


def skip_test() -> Drawing:
    """Draw what two rules predict after a skip."""
    canvas, symbols = Canvas(312), [*PERIOD, AGAIN, "?"]
    middles = [LEFT + STEP * place for place in range(len(symbols))]
    earlier = PERIOD.index(AGAIN)
    canvas.note(middles[0] - WIDE / 2, 48, "first period", anchor="start")
    for x, symbol in zip(middles, symbols, strict=True):
        canvas.token(x, FLOOR, symbol, WIDE, "lit" if symbol in (AGAIN, "?") else "")
    _curve(canvas, middles[-1], middles[earlier + 1], -1, "value")
    canvas.note(middles[-1] + WIDE / 2, 24, "circuit: F followed E last time", "value", "end")
    _curve(canvas, middles[-1], middles[0], 1, "key")
    canvas.note((middles[-1] + middles[0]) / 2, 154, "other rule: A was seen longest ago", "key", "middle")
    _guesses(canvas)
    return canvas.finish(
        "The skip test",
        "The symbols A to H in a row, then E, and a question mark for the next symbol. A curve above leads from the"
        " question mark to F, which followed the first E: that is the prediction of the circuit. A curve below leads to"
        " A, which was seen longest ago: that is the prediction of the other rule. A table below: after E, F, G and H"
        " the circuit says F, G, H and E, the other rule says A four times, and F, G, H and A come next. A frame marks"
        " the guesses after E, F and G, which are counted.",
    )


def _guesses(canvas: Canvas) -> None:
    """Write what both rules say after each symbol, with a frame around the guesses that are counted."""
    columns = [172 + 42 * place for place in range(len(GUESSES["after"][0]))]
    for row, (name, (symbols, kind)) in enumerate(GUESSES.items()):
        y = 196 + 30 * row
        canvas.note(LEFT - WIDE / 2, y, name, kind or "quiet")
        for x, symbol in zip(columns, symbols, strict=True):
            canvas.text(x, y, symbol, f"bold {kind}".strip())
    canvas.frame(columns[0] - 20, 206, 42 * (COUNTED - 1) + 40, 92)
    canvas.note((columns[0] + columns[COUNTED - 1]) / 2, 310, "counted", anchor="middle")


def _curve(canvas: Canvas, start: float, end: float, side: int, kind: str) -> None:
    """Draw a curve above (side -1) or below the symbols, with an arrowhead at its end."""
    begin, high = FLOOR + 16 * side, FLOOR + (16 + 0.24 * (start - end) / 1.6 + 14) * side
    stop = FLOOR + 26 * side
    canvas.add("path", d=f"M{start:.1f} {begin}C{start:.1f} {high:.1f} {end:.1f} {high:.1f} {end:.1f} {stop}",
               class_=f"line {kind}")  # fmt: skip
    canvas.line((end, stop), (end, FLOOR + 16 * side), kind=kind)
