"""Three ways to divide a model between two GPUs: by layers, inside each layer, and by what each one stores."""

from .kit import Canvas, Drawing

LAYERS, HIGH, LEFT, ROW, SHARDED = 4, 24, 4, 150, 16
ROLES = ("layer", "weight")  # of GPU 0 and GPU 1
WAYS = (
    ("pipeline parallelism", "Each has some layers.", "Vectors of tokens travel", "from one to the next."),
    ("tensor parallelism", "Each has a slice of every", "matrix. Results travel", "in every layer."),
    ("sharding", "Each stores a part, and", "gets the others just when", "it computes with them."),
)


def owners(way: str) -> list[list[int]]:
    """Return which GPU stores each half of each layer, from the last layer down to the first.

    Example:
        >>> owners("pipeline parallelism"), owners("tensor parallelism")[0]
        ([[1, 1], [1, 1], [0, 0], [0, 0]], [0, 1])
    """
    if way == "tensor parallelism":
        return [[0, 1]] * LAYERS
    return [[layer * 2 // LAYERS] * 2 for layer in reversed(range(LAYERS))]


def divided_model() -> Drawing:
    """Draw a model of four layers in three rows, with the number of the GPU that stores each part."""
    canvas = Canvas(ROW * len(WAYS) + SHARDED - 6)
    for place, (way, *remark) in enumerate(WAYS):
        y = 26 + ROW * place
        canvas.text(LEFT, y - 8, way, "bold", "start")
        if way == "sharding":
            y += SHARDED
            for gpu in (0, 1):
                canvas.note(LEFT + 84 * gpu + 40, y - 6, f"on GPU {gpu}", anchor="middle")
        for row, parts in enumerate(owners(way)):
            _layer(canvas, way, y + 4 + (HIGH + 3) * row, parts)
        for line, said in enumerate(remark):
            canvas.note(LEFT + 2 * 80 + 22, y + 38 + 18 * line, said)
    return canvas.finish(
        "Three ways to divide a model between two GPUs",
        "A model of four layers, drawn three times. Pipeline parallelism: GPU 0 has the lower two layers, GPU 1 the"
        " upper two. Tensor parallelism: GPU 0 has the left half of each layer, GPU 1 the right half. Sharding: both"
        " GPUs compute with all four layers, but GPU 0 stores only the lower two and GPU 1 only the upper two.",
    )


def _layer(canvas: Canvas, way: str, y: float, parts: list[int]) -> None:
    """Draw a layer: one bar, two halves, or a bar for each GPU, dashed where the other one stores it."""
    if way == "sharding":
        for gpu in (0, 1):
            x = LEFT + 84 * gpu
            if parts[0] == gpu:
                _bar(canvas, x, y, 80, gpu)
            else:
                canvas.add("rect", x=x, y=y, width=80, height=HIGH, class_="off")
        return
    wide = 164 if parts[0] == parts[1] else 80
    for half, gpu in enumerate(parts if wide == 80 else parts[:1]):
        _bar(canvas, LEFT + 84 * half, y, wide, gpu)


def _bar(canvas: Canvas, x: float, y: float, wide: float, gpu: int) -> None:
    canvas.add("rect", x=x, y=y, width=wide, height=HIGH, class_=f"cell {ROLES[gpu]}", fill_opacity=0.3)
    canvas.note(x + wide / 2, y + 17, f"GPU {gpu}", "", "middle")
