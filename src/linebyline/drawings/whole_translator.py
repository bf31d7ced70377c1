"""A small translator at its third step: both halves with their shapes, and where the encoder's output goes."""

from .kit import SMALL, Canvas, Drawing

SOURCE, TARGET, NEXT = "Dan loves ice cream .", "<Swedish> Dan älskar", "glass"
N_SOURCE, N_TARGET = len(SOURCE.split()), len(TARGET.split())
ENCODER, DECODER = 82, 262  # middles of the two halves
WIDE, HIGH, INPUT = 150, 86, 164  # a block, and what a half reads
FIRST, STEP = 138, 108  # top of the first block, and from one block to the next
BETWEEN, BACK = 170, 357  # channels: from H to the decoder, and from the new word to its input
CROSS = 53  # from the top of a block to the line of its cross-attention
HALVES = (
    (ENCODER, SOURCE, N_SOURCE, "encoder", ("attention, both ways", "feed-forward")),
    (DECODER, TARGET, N_TARGET, "decoder", ("causal attention", "cross-attention", "feed-forward")),
)


def whole_translator(d_model: int = 64, n_layers: int = 2, n_words: int = 674) -> Drawing:
    """Draw encoder and decoder side by side, with the shape of what each passes on."""
    low = FIRST + n_layers * STEP  # top of H and of the LM head
    canvas = Canvas(low + 86)
    for x, text, n, name, layers in HALVES:
        canvas.text(x, 18, name, "bold")
        canvas.token(x, 44, "", INPUT)
        canvas.text(x, 49, text, size=SMALL)
        canvas.line((x, 58), (x, 72))
        canvas.box(x - WIDE / 2, 74, WIDE, 42, "embedding", note="with positions")
        for block in range(n_layers):
            _block(canvas, x, FIRST + block * STEP, f"block {block + 1}", layers)
        for y in range(FIRST, low + 1, STEP):
            canvas.line((x, y - 22), (x, y - 2))
            canvas.note(x + 8, y - 7, f"({n}, {d_model})")
    canvas.box(ENCODER - 36, low, 72, 32, "H", role="value")
    for block in range(n_layers):
        y = FIRST + block * STEP + CROSS
        canvas.line((BETWEEN, y), (DECODER - WIDE / 2 - 2, y), kind="value", width=3)
    joint = (BETWEEN, low + 16), (BETWEEN, FIRST + CROSS)
    canvas.line((ENCODER + 36, low + 16), *joint, kind="value", width=3, arrow=False)
    canvas.note(ENCODER, low + 50, "every block of the", "value", "middle")
    canvas.note(ENCODER, low + 67, "decoder reads H", "value", "middle")
    canvas.box(DECODER - WIDE / 2, low, WIDE, 32, "LM head")
    canvas.line((DECODER, low + 32), (DECODER, low + 52))
    canvas.note(DECODER + 8, low + 47, f"({N_TARGET}, {n_words})")
    canvas.token(DECODER, low + 68, NEXT, 76, "lit")
    canvas.line((DECODER + 38, low + 68), (BACK, low + 68), (BACK, 44), (DECODER + INPUT / 2 + 2, 44))
    return canvas.finish(
        "The translator at its third step",
        f"On the left the encoder reads '{SOURCE}'. Embeddings and positions give a matrix of shape ({N_SOURCE},"
        f" {d_model}), which passes {n_layers} blocks of attention both ways and feed-forward; the result is H. On the"
        f" right the decoder reads '{TARGET}', of shape ({N_TARGET}, {d_model}), which passes {n_layers} blocks of"
        f" causal attention, cross-attention and feed-forward. An arrow leads from H to the cross-attention of every"
        f" block. The LM head gives logits of shape ({N_TARGET}, {n_words}); the last row says '{NEXT}', which joins"
        " the decoder's input in the next step.",
    )


def _block(canvas: Canvas, x: float, y: float, name: str, layers: tuple[str, ...]) -> None:
    """Draw one block with the names of its layers, below each other and in the middle of their space."""
    canvas.box(x - WIDE / 2, y, WIDE, HIGH, name)
    first = y + 40 + 17 * (3 - len(layers)) / 2
    for n, layer in enumerate(layers):
        canvas.note(x, first + 17 * n, layer, "value" if layer.startswith("cross") else "quiet", "middle")
