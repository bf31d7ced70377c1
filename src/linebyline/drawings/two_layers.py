"""A step with a cache in a model of two layers: what is computed for the newest word, and what is not."""

from .cache_steps import band
from .kit import CELL, Canvas, Drawing

WORDS, LAYERS = ("Dan", "loves", "ice"), 2
FIRST, STEP, LAST = 114, 86, 317  # the middle of the first column, from one to the next, and of the newest word's
TOP, HIGH, WIDE = 46, 176, 78  # the first layer, from one layer to the next, and the width of an output


def two_layers() -> Drawing:
    """Draw step 3 with its two caches: one column is computed, and of the others only keys and values are read."""
    canvas = Canvas(TOP + LAYERS * HIGH + 42)
    for s, word in enumerate(WORDS[:-1]):
        canvas.token(FIRST + s * STEP, 18, word, 70)
    canvas.token(LAST, 18, WORDS[-1], 72, "lit")
    canvas.line((LAST, 33), (LAST, TOP + 22))
    for layer in range(LAYERS):
        _layer(canvas, layer, TOP + layer * HIGH)
    bottom = TOP + LAYERS * HIGH
    canvas.token(LAST - 6, bottom + 24, "next word", WIDE + 10)
    canvas.note(4, bottom + 20, "struck out: computed in an")
    canvas.note(4, bottom + 36, "earlier step, not needed again")
    return canvas.finish(
        "Step 3 in a model with two layers",
        f"Three columns, one for each word of {' '.join(WORDS)}, and two layers below each other. In the column of"
        f" {WORDS[-1]}, everything is computed: in each layer its query, its key and its value, then its output, and"
        " at the end the next word; the new key and the new value join the cache of their layer. In the columns of the"
        " two earlier words, each layer takes a key and a value from its cache, a tinted band; their queries and their"
        " outputs are struck out, because nothing needs them any more.",
    )


def _layer(canvas: Canvas, layer: int, y: float) -> None:
    """Draw a layer with its upper edge at y: its cache and what is new in a row, and the output below them."""
    canvas.text(4, y + 42, f"Layer {layer + 1}", "bold", "start")
    left, right, row, box = FIRST - CELL - 10, FIRST + STEP + CELL + 10, y + 24, y + 100
    band(canvas, left, y - 2, right - left, CELL + 36)
    canvas.note((left + right) / 2, y + 15, f"cache of layer {layer + 1}", "bold", "middle")
    first = LAST - 1.5 * CELL  # the left edge of what is new
    for x in (FIRST, FIRST + STEP, first + CELL):
        for place, role in ((x - CELL, "key"), (x, "value")):
            canvas.matrix(place, row, [[role[0]]], role)
    canvas.matrix(first + 2 * CELL, row, [["q"]], "query")
    canvas.line((first, row + CELL / 2), (right + 1, row + CELL / 2))
    canvas.note((first + right) / 2, row - 3, "joins", anchor="middle")
    for role, shift, bus in (("key", -CELL / 2, y + 70), ("value", CELL / 2, y + 82)):
        for x in (FIRST, FIRST + STEP):
            canvas.line((x + shift, row + CELL), (x + shift, bus), kind=role, arrow=False)
        end = first + CELL + shift
        canvas.line((FIRST + shift, bus), (end, bus), kind=role, arrow=False)
        canvas.line((end, row + CELL), (end, box - 2), kind=role)
    canvas.line((first + 2.5 * CELL, row + CELL), (first + 2.5 * CELL, box - 2), kind="query")
    canvas.box(LAST - WIDE / 2, box, WIDE, 34, "output")
    canvas.line((LAST, box + 34), (LAST, y + HIGH + (22 if layer < LAYERS - 1 else 8)))
    for s in range(len(WORDS) - 1):
        style = "font-size:13px;text-decoration:line-through"
        gone = {"x": FIRST + s * STEP, "y": box + 22, "text_anchor": "middle", "style": style}
        canvas.add("text", "q, output", class_="quiet", **gone)
