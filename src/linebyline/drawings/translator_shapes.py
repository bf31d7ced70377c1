"""One sentence on its way through a translator, with the shape of every matrix."""

from .kit import Canvas, Drawing

SOURCE, TARGET = 76, 262  # middles of the two columns
TOP, BOTTOM = 134, 320  # of the decoder's block


def translator_shapes(sizes: tuple[int, int, int, int] = (5, 3, 64, 674)) -> Drawing:
    """Draw what the encoder hands to the decoder; the sizes are S, T, d_model and those of the vocabulary."""
    S, T, d_model, vocab_size = sizes
    canvas = Canvas(428)
    columns = ((SOURCE, "encoder", "Dan loves ice cream ."), (TARGET, "decoder", "<Swedish> Dan älskar"))
    for x, side, words in columns:
        canvas.text(x, 18, side, "bold")
        canvas.text(x, 46, words, size=14)
    _step(canvas, SOURCE, 54, f"({S}, {d_model})")
    canvas.box(8, TOP, 136, BOTTOM - TOP, "2 blocks")
    canvas.box(18, 191, 116, 44, "attention", note=f"weights ({S}, {S})")
    canvas.box(18, 241, 116, 44, "feed-forward")
    canvas.line((SOURCE, BOTTOM), (SOURCE, 354), kind="value", arrow=False, width=3)
    canvas.text(SOURCE, 374, f"H  ({S}, {d_model})", "bold")
    _step(canvas, TARGET, 54, f"({T}, {d_model})")
    canvas.box(172, TOP, 180, BOTTOM - TOP, "2 blocks")
    canvas.box(182, 166, 160, 44, "causal attention", note=f"weights ({T}, {T})")
    canvas.box(182, 216, 160, 44, "cross-attention", note=f"weights ({T}, {S})", role="weight lit")
    canvas.box(182, 266, 160, 44, "feed-forward")
    canvas.line((SOURCE, 337), (158, 337), (158, 238), (180, 238), kind="value", width=3)
    _step(canvas, TARGET, BOTTOM, f"({T}, {vocab_size})")
    canvas.note(TARGET - 8, 414, "last row:", anchor="end")
    canvas.token(TARGET + 40, 410, "glass", 76, "lit")
    return canvas.finish(
        "A sentence on its way through the translator",
        f"The encoder turns 'Dan loves ice cream.' into a matrix ({S}, {d_model}) and, after two blocks, into H, of the"
        f" same shape. The decoder reads the start sign and 'Dan älskar', ({T}, {d_model}). In each of its two blocks"
        f" its own attention has weights ({T}, {T}), and cross-attention, which reads H, has weights ({T}, {S}). The"
        f" logits are ({T}, {vocab_size}), and the last row says 'glass'.",
    )


def _step(canvas: Canvas, x: float, y: float, shape: str) -> None:
    """Draw the way down from y, with the shape of what goes there."""
    canvas.line((x, y), (x, y + 76))
    canvas.text(x + 10, y + 44, shape, "bold", "start")
