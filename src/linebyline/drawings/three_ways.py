"""Three ways to divide a training run between two processors: by the batch, by the layers, by the matrices."""

from .kit import CELL, Canvas, Drawing

LAYERS, HIGH = 4, 150  # layers of the model; the distance from one way to the next
ROLES = ("weight", "layer")  # the color of each processor
WAYS = (
    ("Divide the batch", "each has the whole model", "what travels: gradients"),
    ("Divide the layers", "each has half of the layers", "what travels: token vectors"),
    ("Divide the matrices", "each has half of every matrix", "what travels: parts of results"),
)


def three_ways() -> Drawing:
    """Draw the same model three times, with the cells of each processor in its color."""
    canvas = Canvas(HIGH * len(WAYS) + 30)
    for processor, (role, x) in enumerate(zip(ROLES, (20, 150), strict=True), start=1):
        canvas.add("rect", x=x, y=2, width=CELL, height=CELL, class_=f"cell {role}", fill_opacity=0.4)
        canvas.text(x + CELL / 2, 20, f"{processor}", size=13)
        canvas.text(x + 34, 20, f"processor {processor}", anchor="start")
    for way, (words, holds, travels) in enumerate(WAYS):
        y = 50 + HIGH * way
        for processor, role in enumerate(ROLES):
            for layer in range(LAYERS):
                _cell(canvas, way, processor, layer, y, role)
        _travels(canvas, way, y)
        if way == 0:
            canvas.note(78, y + LAYERS * CELL + 18, "half of the rows each", anchor="middle")
        canvas.text(152, y + 34, words, "bold", "start")
        canvas.note(152, y + 58, holds)
        canvas.note(152, y + 78, travels)
    return canvas.finish(
        "Three ways to divide the work",
        "A model of four layers and two processors. Dividing the batch: each processor has a copy of all four layers"
        " and half of the rows, and gradients travel. Dividing the layers: the first processor has the two lower"
        " layers, the second the two upper ones, and the vectors of the tokens travel. Dividing the matrices: each"
        " processor has half of every layer, and parts of the results travel.",
    )


def _travels(canvas: Canvas, way: int, y: float) -> None:
    """Draw between the processors what they send each other."""
    middles = [y + CELL * (layer + 0.5) for layer in range(LAYERS)]
    if way == 1:
        low, high = y + 2.5 * CELL, y + 1.5 * CELL
        canvas.line((112, low), (112, high), kind="value", width=2)
        return
    reach = (10, 18)[way == 2]
    for middle in middles:
        for side in (-1, 1):
            canvas.line((78, middle), (78 + side * reach, middle), kind="value", width=1)


def _cell(canvas: Canvas, way: int, processor: int, layer: int, y: float, role: str) -> None:
    """Draw a processor's part of a layer, where it has one; layer 0 is the lowest."""
    left, wide = ((14 + 76 * processor, 52), (14, 128), (14 + 64 * processor, 64))[way]
    if way != 1 or layer // 2 == processor:
        top = y + CELL * (LAYERS - 1 - layer)
        canvas.add("rect", x=left, y=top, width=wide, height=CELL, class_=f"cell {role}", fill_opacity=0.4)
        canvas.text(left + wide / 2, top + 18, f"{processor + 1}", size=13)
