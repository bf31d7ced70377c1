"""GPT-2 and Llama side by side: the same block, with five parts exchanged."""

from .kit import Canvas, Drawing

ROWS = (  # of GPT-2 and of Llama
    ("+ positions", ""),
    ("layer norm", "RMSNorm"),
    ("attention", "attention"),
    ("layer norm", "RMSNorm"),
    ("GELU layer", "SwiGLU layer"),
)
LEFT, RIGHT, WIDE, HIGH, STEP, TOP = 12, 202, 122, 34, 62, 46


def two_blocks() -> Drawing:
    """Draw one block of each model; what was exchanged is outlined."""
    canvas = Canvas(TOP + 5 * STEP + 44)
    for x, name, place in ((LEFT, "GPT-2", 0), (RIGHT, "Llama", 1)):
        stream = x + WIDE + 18
        canvas.text(x + WIDE / 2, 20, name, "bold")
        canvas.line((stream, 30), (stream, TOP + 5 * STEP + 14), kind="stream", width=4)
        for i, row in enumerate(ROWS):
            y = TOP + i * STEP
            if row[place]:
                canvas.box(x, y, WIDE, HIGH, row[place], role="" if row[0] == row[1] else "weight")
        for i in (0, 2, 4):
            y = TOP + i * STEP + HIGH // 2
            if i or not place:
                canvas.line((x + WIDE, y), (stream - 10, y))
                canvas.plus(stream, y)
        for i in (1, 3):
            y = TOP + i * STEP
            canvas.line((stream, y + HIGH / 2), (x + WIDE, y + HIGH / 2))
            canvas.line((x + WIDE / 2, y + HIGH), (x + WIDE / 2, y + STEP))
    extra = ((LEFT, ("own keys, values", "biases everywhere")), (RIGHT, ("rotary, shared K, V", "no biases")))
    for x, (attention, feed_forward) in extra:
        canvas.note(x + WIDE / 2, TOP + 2 * STEP + HIGH + 17, attention, "weight", "middle")
        canvas.note(x + WIDE / 2, TOP + 4 * STEP + HIGH + 17, feed_forward, "weight", "middle")
    return canvas.finish(
        "A block of GPT-2 and a block of Llama",
        "Both add the results of attention and of a feed-forward layer to the stream, each behind a norm. Llama has"
        " RMSNorm in place of layer norm, a SwiGLU layer in place of one with a GELU, no biases, and no positions that"
        " are added before the first block: its attention rotates queries and keys, and shares keys and values.",
    )
