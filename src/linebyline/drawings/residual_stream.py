"""The residual stream of one token, with numbers: every part adds to it, and none replaces it."""

import numpy as np

from .kit import Canvas, Drawing, number

STREAM, RIGHT = 84, 268  # the middle of the stream and of the parts
WIDE = 38
X = np.array([1.0, 0.0, 2.0])
ADDED = {"attention": ("weight", np.array([0.5, -1.0, 0.0])), "feed-forward": ("layer", np.array([-1.0, 2.0, 1.0]))}


def residual_stream() -> Drawing:
    """Draw a stream of three numbers, and what attention and the feed-forward layer add to it."""
    canvas, top = Canvas(384), 3
    canvas.token(STREAM, 18, "ice")
    canvas.line((STREAM, 32), (STREAM, 45))
    canvas.vector(STREAM, 60, X.tolist(), top=top, cell=WIDE)
    canvas.note(158, 65, "from the embedding")
    x, sums, y = X, [X], 60
    for part, (role, added) in ADDED.items():
        x = x + added
        sums.append(x)
        canvas.line((STREAM, y + 13), (STREAM, y + 127), kind="stream")
        canvas.line((STREAM, y + 46), (206, y + 46))
        canvas.box(208, y + 28, 120, 36, part, role=role)
        canvas.line((RIGHT, y + 64), (RIGHT, y + 78), arrow=False)
        canvas.vector(RIGHT, y + 92, added.tolist(), role, top=top, cell=WIDE)
        canvas.line((RIGHT - 1.5 * WIDE, y + 92), (STREAM + 12, y + 92))
        canvas.plus(STREAM, y + 92)
        canvas.note(158, y + 84, "adds", anchor="middle")
        y += 142
        canvas.vector(STREAM, y, x.tolist(), top=top, cell=WIDE)
    canvas.note(158, y - 137, "the sum continues")
    canvas.note(158, y + 5, "to the next block")
    canvas.line((STREAM, y + 13), (STREAM, y + 34), kind="stream")
    words = [f"({', '.join(map(number, row))})" for row in (X, *(added for _, added in ADDED.values()), *sums[1:])]
    return canvas.finish(
        "The residual stream of one token",
        f"The token 'ice' enters as {words[0]}. Attention reads it and adds {words[1]}, which gives {words[3]}. The"
        f" feed-forward layer reads that and adds {words[2]}, which gives {words[4]} for the next block. The stream"
        " runs straight through: parts only add to it.",
    )
