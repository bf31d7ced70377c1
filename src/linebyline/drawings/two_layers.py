"""A step with a cache in a model of two layers: what is computed for the newest word, and what is not."""

from .kit import CELL, Canvas, Drawing

WORDS, LAYERS = ("Dan", "loves", "ice"), 2
FIRST, STEP, WIDE = 120, 94, 78  # the middle of the first column, from one to the next, and the width of a column
TOP, HIGH = 54, 156  # the first layer, and from one layer to the next


def two_layers() -> Drawing:
    """Draw step 3 with its two caches: one column is computed, and of the others only keys and values are read."""
    canvas = Canvas(TOP + LAYERS * HIGH + 42)
    last = FIRST + (len(WORDS) - 1) * STEP
    for s, word in enumerate(WORDS):
        canvas.token(FIRST + s * STEP, 18, word, WIDE - 6, "lit" if s == len(WORDS) - 1 else "")
    canvas.line((last, 33), (last, TOP + 12))
    for layer in range(LAYERS):
        _layer(canvas, layer, TOP + layer * HIGH)
    bottom = TOP + LAYERS * HIGH
    canvas.token(last, bottom + 24, "next word", WIDE + 10)
    canvas.note(4, bottom + 20, "dotted q and output: from an")
    canvas.note(4, bottom + 36, "earlier step, not needed again")
    return canvas.finish(
        "Step 3 in a model with two layers",
        f"Three columns, one for each word of {' '.join(WORDS)}, and two layers below each other. In the column of"
        f" {WORDS[-1]}, everything is computed: in each layer its query, its key and its value, then its output, and"
        " at the end the next word. In the columns of the two earlier words, each layer takes a key and a value from"
        " its cache; their queries and their outputs are dotted, because nothing needs them any more.",
    )


def _layer(canvas: Canvas, layer: int, y: float) -> None:
    """Draw a layer with its upper edge at y: queries, keys and values in a row, and the outputs below them."""
    last = len(WORDS) - 1
    canvas.text(4, y + 30, f"Layer {layer + 1}", "bold", "start")
    box, bus = y + 86, y + 68
    for s in range(len(WORDS)):
        x, new = FIRST + s * STEP, s == last
        left = x - 1.5 * CELL
        for n, role in enumerate(("query", "key", "value")):
            place = left + n * CELL
            if new or n:
                canvas.matrix(place, y + 14, [[role[0]]], role)
            else:
                _off(canvas, place - 9, y + 14, CELL, CELL, "q")
        canvas.line((left + 2 * CELL, y + 14 + CELL), (left + 2 * CELL, bus), kind="key", arrow=False)
        if new:
            canvas.line((left + CELL / 2, y + 14 + CELL), (left + CELL / 2, box - 2), kind="query")
            canvas.line((FIRST + CELL / 2, bus), (left + 2 * CELL, bus), (left + 2 * CELL, box - 2), kind="key")
            canvas.box(x - WIDE / 2, box, WIDE, 34, "output")
            canvas.line((x, box + 34), (x, y + HIGH + (12 if layer < LAYERS - 1 else 8)))
        else:
            canvas.note(left + 2 * CELL, y + 2, "cache", anchor="middle")
            canvas.frame(left + CELL - 5, y + 8, 2 * CELL + 10, CELL + 12)
            _off(canvas, x - WIDE / 2, box, WIDE, 34, "output")


def _off(canvas: Canvas, x: float, y: float, width: float, height: float, words: str) -> None:
    """Draw a part that is not computed, with its upper left corner at (x, y)."""
    canvas.add("rect", x=x, y=y, width=width, height=height, rx=4, class_="off")
    canvas.note(x + width / 2, y + height / 2 + 5, words, "quiet", "middle")
