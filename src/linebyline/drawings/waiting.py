"""Which results wait for which: the states of a recurrent network, and the rows of a Transformer's blocks."""

from typing import Any

from .kit import Canvas, Drawing

N_WORDS, N_BLOCKS = 20, 2
LEFT, STEP, SIZE = 12, 17, 12  # middle of the first word, from one word to the next, and the side of a result
RECURRENT, FIRST, APART = 62, 178, 62  # heights: the states, the Transformer's input, and from one row to the next


def waiting() -> Drawing:
    """Draw the longest chain of steps from the first word to the last result, in both."""
    canvas = Canvas(FIRST + N_BLOCKS * APART + 18)
    xs = [LEFT + n * STEP for n in range(N_WORDS)]
    canvas.text(4, 20, "Recurrent network", "bold", "start")
    canvas.note(356, 20, f"{N_WORDS} steps", "query", "end")
    for x in xs:
        _result(canvas, x, RECURRENT, "query")
    for x in xs[:-1]:
        canvas.line((x + SIZE / 2, RECURRENT), (x + STEP - SIZE / 2, RECURRENT), kind="query", arrow=False, width=3)
    for n in (1, 10, N_WORDS):
        canvas.note(xs[n - 1], RECURRENT + 28, f"h_{n}", "", "middle")
    canvas.text(4, FIRST - 40, f"Transformer, {N_BLOCKS} blocks", "bold", "start")
    canvas.note(356, FIRST - 40, f"{N_BLOCKS} steps", "query", "end")
    last = xs[-1]
    for row in range(N_BLOCKS + 1):
        y = FIRST + row * APART
        if row:
            for x in xs:
                canvas.line((x, y - APART + SIZE / 2), (last, y - SIZE / 2), arrow=False, width=0.6)
            from_ = xs[0] if row == 1 else last
            canvas.line((from_, y - APART + SIZE / 2), (last, y - SIZE / 2 - 2), kind="query", width=3)
        for x in xs:
            _result(canvas, x, y, "query" if row else "")
        canvas.note(4, y - 12, f"block {row}: step {row}" if row else "embeddings")
    return canvas.finish(
        "What waits for what",
        f"Above, {N_WORDS} states of a recurrent network in a row, each joined to the next: the last one waits for all"
        f" others, {N_WORDS} steps in all. Below, the {N_WORDS} rows of a Transformer's embeddings and of {N_BLOCKS}"
        f" blocks. Lines join the last row of each block to all {N_WORDS} rows below it: it waits for them, but not for"
        f" the others of its own block, so all rows of a block are one step, and there are {N_BLOCKS}.",
    )


def _result(canvas: Canvas, x: float, y: float, role: str) -> None:
    place: dict[str, Any] = {"x": x - SIZE / 2, "y": y - SIZE / 2, "width": SIZE, "height": SIZE}
    canvas.add("rect", **place, rx=2, class_=f"cell {role}".strip(), fill_opacity=0.5 if role else 0.2)
