"""Where the norm is: after the sum, on the stream, or before the layer, on a branch."""

from .kit import Canvas, Drawing

LEFT, RIGHT = 24, 212  # where the two streams run
LAYERS = (("attention", "weight"), ("feed-forward", "layer"))


def norm_places() -> Drawing:
    """Draw a block with post-norm beside one with pre-norm."""
    canvas = Canvas(500)
    for stream, name, who in ((LEFT, "post-norm", "the first Transformer"), (RIGHT, "pre-norm", "GPT-2 and Llama")):
        canvas.text(stream - 18, 18, name, "bold", "start")
        canvas.note(stream - 18, 37, who)
        canvas.note(stream + 10, 62, "x", "")
        canvas.note(stream + 14, 356, "other blocks")
    canvas.note(6, 452, "norm(x + layer(x))", "")
    canvas.note(6, 472, "the stream passes")
    canvas.note(6, 489, "through every norm")
    canvas.note(194, 452, "x + layer(norm(x))", "")
    canvas.note(194, 472, "a norm only at the")
    canvas.note(194, 489, "end of the stream")
    _post(canvas)
    _pre(canvas)
    return canvas.finish(
        "Post-norm and pre-norm",
        "Two blocks side by side. With post-norm, on the left, the norm is on the residual stream: each layer reads the"
        " stream, its result is added, and the sum is normalized. With pre-norm, on the right, the norm is on the"
        " branch that leads to each layer, and the stream runs from top to bottom without passing through any norm; one"
        " last norm follows after all blocks.",
    )


def _post(canvas: Canvas) -> None:
    """Draw a block whose stream passes through a norm after each sum."""
    y = 50
    for words, role in LAYERS:
        canvas.line((LEFT, y), (LEFT, y + 108), kind="stream")
        canvas.line((LEFT, y + 34), (44, y + 34))
        canvas.box(46, y + 18, 108, 32, words, role=role)
        canvas.line((100, y + 50), (100, y + 80), (LEFT + 12, y + 80))
        canvas.plus(LEFT, y + 80)
        canvas.box(6, y + 110, 148, 28, "norm", role="lit")
        y += 138
    canvas.line((LEFT, y), (LEFT, 422), kind="stream")


def _pre(canvas: Canvas) -> None:
    """Draw a block whose stream passes through no norm, and the last norm."""
    canvas.line((RIGHT, 50), (RIGHT, 366), kind="stream")
    canvas.box(194, 370, 148, 28, "last norm", role="lit")
    canvas.line((RIGHT, 398), (RIGHT, 422), kind="stream")
    y = 50
    for words, role in LAYERS:
        canvas.line((RIGHT, y + 30), (236, y + 30))
        canvas.box(238, y + 16, 116, 28, "norm", role="lit")
        canvas.line((296, y + 44), (296, y + 58))
        canvas.box(238, y + 60, 116, 32, words, role=role)
        canvas.line((296, y + 92), (296, y + 114), (RIGHT + 12, y + 114))
        canvas.plus(RIGHT, y + 114)
        y += 138
