"""One block of a decoder: a stream that passes three layers, the second of which also reads the encoder's output."""

from .kit import Canvas, Drawing

STREAM, LEFT, RIGHT = 40, 104, 254  # the stream, and the edges of the layers
HIGH, NORM, STEP, TOP = 44, 26, 130, 66  # heights of a layer and a norm, from one layer to the next, and the first
SHAPE = "T × d_model"
# The layers: what is written in each, its role, and the name of what comes after its norm.
LAYERS = (
    ("causal attention", "looks at words so far", "weight", "A"),
    ("cross-attention", "looks at the source", "weight", "C"),
    ("feed-forward", "each word alone", "layer", "Y′"),
)


def decoder_block() -> Drawing:
    """Draw the three layers of the block, each with its sum and its norm, and where H comes in."""
    end = TOP + STEP * len(LAYERS) - 8
    canvas = Canvas(end + 26)
    canvas.text(STREAM, 20, "Y", "bold")
    canvas.note(STREAM + 16, 20, f"{SHAPE} = 3 × 64")
    top = 30
    for n, (words, note, role, after) in enumerate(LAYERS):
        y = TOP + n * STEP
        middle, plus, norm = (LEFT + RIGHT) / 2, y + HIGH + 16, y + HIGH + 34
        canvas.line((STREAM, top), (STREAM, norm), kind="stream", arrow=False)
        reads = "query" if words.startswith("cross") else ""
        canvas.line((STREAM, y + HIGH / 2), (LEFT - 2, y + HIGH / 2), kind=reads)
        if reads:
            canvas.note((STREAM + LEFT) / 2 + 2, y + HIGH / 2 - 6, "queries", "query", "middle")
            for role_, shift, name in (("key", -9, "keys"), ("value", 9, "values")):
                canvas.line((318, y + HIGH / 2 + shift), (RIGHT + 2, y + HIGH / 2 + shift), kind=role_)
                canvas.note((RIGHT + 320) / 2, y + HIGH / 2 + (-16 if shift < 0 else 26), name, role_, "middle")
            canvas.box(320, y - 10, 36, HIGH + 20, "H")
            for line, shape in enumerate(("S × d_model", "= 5 × 64")):
                canvas.note(358, y + HIGH + 28 + 17 * line, shape, anchor="end")
        canvas.box(LEFT, y, RIGHT - LEFT, HIGH, words, note=note, role=role)
        canvas.line((middle, y + HIGH), (middle, plus), (STREAM + 12, plus))
        canvas.plus(STREAM, plus)
        canvas.box(STREAM - 34, norm, 68, NORM, "norm")
        top = norm + NORM
        canvas.text(STREAM + 12, top + 18, after, "bold", "start")
        canvas.note(STREAM + 32, top + 18, SHAPE)
    canvas.line((STREAM, top), (STREAM, end + 18), kind="stream")
    return canvas.finish(
        "One block of the decoder",
        "A stream of vectors, Y, of shape (T, d_model), here (3, 64), passes three layers. Causal attention reads it"
        " and its output is added; the norm of the sum is A. Cross-attention makes queries from A and reads keys and"
        " values from H, the encoder's output of shape (S, d_model), here (5, 64); its output is added, and the norm of"
        " the sum is C. A feed-forward layer does the same with C, and the norm gives Y′.",
    )
