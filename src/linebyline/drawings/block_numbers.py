"""One block with four features on its stream and real norms, so that every step can be checked in the head."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing, number

STREAM, BRANCH, WIDE = 70, 244, 32  # the middle of the stream and of the branches, and the width of a cell
START, FOUND = np.array([1.0, 1.0, 3.0, 3.0]), np.array([4.0, -2.0, 2.0, -4.0])


def norm(x: np.ndarray) -> np.ndarray:
    """Normalize as a layer norm does when training starts, without epsilon."""
    return F.layer_norm(x, np.ones(4), np.zeros(4), 0.0)


def attention(_: np.ndarray) -> np.ndarray:
    """Give what attention answers in this example: it has looked at tokens that the drawing does not show."""
    return FOUND


def feed_forward(x: np.ndarray) -> np.ndarray:
    """Give what the feed-forward layer answers in this example."""
    return x + 1


LAYERS = (
    ("attention", "weight", "what others tell it", attention),
    ("feed-forward", "layer", "what it reads, plus 1", feed_forward),
)


def block_numbers() -> Drawing:
    """Draw a block with pre-norm: the vector on the stream, what each layer reads, and what it adds."""
    canvas, y, x = Canvas(566), 20.0, START
    said = []
    canvas.vector(STREAM, y, x.tolist(), top=14, cell=WIDE)
    for name, role, does, layer in LAYERS:
        read = norm(x)
        added = layer(read)
        canvas.line((STREAM, y + 13), (STREAM, y + 244), kind="stream")
        canvas.line((STREAM, y + 36), (BRANCH - 74, y + 36))
        canvas.box(BRANCH - 72, y + 20, 144, 32, "layer norm", role="lit")
        canvas.line((BRANCH, y + 52), (BRANCH, y + 66))
        canvas.vector(BRANCH, y + 81, read.tolist(), top=14, cell=WIDE)
        canvas.note(BRANCH + 68, y + 86, "reads")
        canvas.line((BRANCH, y + 94), (BRANCH, y + 112))
        canvas.box(BRANCH - 100, y + 114, 200, 44, name, role=role, note=does)
        canvas.line((BRANCH, y + 158), (BRANCH, y + 176))
        canvas.vector(BRANCH, y + 191, added.tolist(), role, top=14, cell=WIDE)
        canvas.note(BRANCH + 68, y + 196, "adds")
        canvas.line((BRANCH - 2 * WIDE, y + 191), (STREAM + 12, y + 191))
        canvas.plus(STREAM, y + 191)
        said.append(f"{name} reads {_words(read)} and adds {_words(added)}, which gives {_words(x + added)}")
        x, y = x + added, y + 258
        canvas.vector(STREAM, y, x.tolist(), top=14, cell=WIDE)
    canvas.line((STREAM, y + 13), (STREAM, y + 28), kind="stream", arrow=False)
    canvas.note(STREAM + 72, y + 5, "to the next block")
    return canvas.finish(
        "A block with four features",
        f"The stream starts with {_words(START)}. Behind its norm, {'; '.join(said)}."
        " The stream itself passes through no norm; its largest number grows to 7, while both layers read numbers of"
        " the same size.",
    )


def _words(x: np.ndarray) -> str:
    return f"({', '.join(map(number, x))})"
