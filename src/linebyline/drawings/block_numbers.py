"""One block with a single number on its stream, so that every step can be checked in the head."""

from .kit import Canvas, Drawing, number

STREAM, BRANCH = 50, 212  # the middle of the stream and of the branches
SHRINK = 10  # the norm of this example divides by it
START = 20.0


def attention(x: float) -> float:
    """Give what attention answers in this example."""
    return 3 * x


def feed_forward(x: float) -> float:
    """Give what the feed-forward layer answers in this example."""
    return x + 1


LAYERS = (
    ("attention", "weight", "3 times what it reads", attention),
    ("feed-forward", "layer", "what it reads, plus 1", feed_forward),
)


def block_numbers() -> Drawing:
    """Draw a block with pre-norm: the number on the stream, what each layer reads, and what it adds."""
    canvas, y, x = Canvas(478), 20.0, START
    said = []
    canvas.vector(STREAM, y, [x], top=80, cell=58)
    for name, role, does, layer in LAYERS:
        read = x / SHRINK
        added = layer(read)
        canvas.line((STREAM, y + 13), (STREAM, y + 200), kind="stream")
        canvas.line((STREAM, y + 36), (BRANCH - 74, y + 36))
        canvas.box(BRANCH - 72, y + 20, 144, 32, f"norm: ÷ {SHRINK}", role="lit")
        canvas.line((BRANCH, y + 52), (BRANCH, y + 96))
        canvas.note(BRANCH + 10, y + 80, f"reads {number(read)}", "")
        canvas.box(BRANCH - 100, y + 98, 200, 44, name, role=role, note=does)
        canvas.line((BRANCH, y + 142), (BRANCH, y + 172), (STREAM + 12, y + 172))
        canvas.plus(STREAM, y + 172)
        canvas.note(BRANCH + 10, y + 164, f"adds {number(added)}", "")
        said.append(f"{name} reads {number(read)} and adds {number(added)}, which gives {number(x + added)}")
        x, y = x + added, y + 214
        canvas.vector(STREAM, y, [x], top=80, cell=58)
    canvas.line((STREAM, y + 13), (STREAM, y + 28), kind="stream", arrow=False)
    canvas.note(STREAM + 40, y + 5, "to the next block")
    return canvas.finish(
        "A block with one number",
        f"The stream starts with {number(START)}. The norm of each branch divides by {SHRINK}: {'; '.join(said)}."
        " The stream itself passes through no norm.",
    )
