"""How much of a gradient comes back through three layers: a product of slopes, or the 1 of the stream."""

from itertools import pairwise

from .kit import Canvas, Drawing, number

SLOPE = 0.1
MIDDLES = (32, 131, 230, 329)  # where the gradient is between the layers; it enters on the right


def slopes() -> Drawing:
    """Draw a gradient of 1 on its way back through layers that replace their input, and through layers that add."""
    canvas = Canvas(264)
    canvas.text(4, 20, "Each layer replaces its input", "bold", "start")
    replaced = _back(SLOPE)
    _numbers(canvas, 64, replaced)
    for left, right in pairwise(MIDDLES):
        canvas.line((right - 29, 64), (left + 29, 64))
        canvas.note((left + right) / 2, 54, f"× {number(SLOPE)}", "layer", "middle")
    canvas.text(4, 126, "Each layer adds to its input", "bold", "start")
    added = _back(1 + SLOPE)
    _numbers(canvas, 204, added)
    for left, right in pairwise(MIDDLES):
        middle = (left + right) / 2
        canvas.line((right - 29, 204), (left + 29, 204), kind="stream")
        canvas.line((right - 20, 190), (right - 20, 166), (left + 20, 166), (left + 20, 188))
        canvas.note(middle, 158, f"× {number(SLOPE)}", "layer", "middle")
        canvas.note(middle, 224, "× 1", "", "middle")
    canvas.note(4, 254, "input of the first layer")
    canvas.note(356, 254, "from the loss", anchor="end")
    return canvas.finish(
        "A gradient on its way back",
        f"A gradient of 1 comes from the loss and passes three layers of slope {number(SLOPE)}. If each layer replaces"
        f" its input, the gradient is multiplied by the slope each time: {_words(replaced)}. If each layer adds to its"
        " input, the gradient also comes back along the stream, which multiplies by 1, and the sum of both ways gives"
        f" {_words(added)}.",
    )


def _back(slope: float) -> list[float]:
    """Return the gradient before each layer, from the last to the first, and what comes in."""
    return [slope**n for n in range(len(MIDDLES))]


def _numbers(canvas: Canvas, y: float, gradients: list[float]) -> None:
    """Write the gradients, from right to left."""
    for x, gradient in zip(reversed(MIDDLES), gradients, strict=True):
        canvas.vector(x, y, [f"{gradient:.3g}" if gradient < 1 else f"{gradient:.4g}"], cell=52)


def _words(gradients: list[float]) -> str:
    return ", ".join(f"{gradient:.4g}" for gradient in gradients)
