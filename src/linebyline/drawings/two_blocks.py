"""GPT-2 and Llama side by side: the same block, with five parts swapped, which are numbered."""

from .kit import Canvas, Drawing

ROWS = (  # of GPT-2 and of Llama
    ("+ positions", ""),
    ("layer norm", "RMSNorm"),
    ("attention", "attention"),
    ("layer norm", "RMSNorm"),
    ("GELU layer", "SwiGLU layer"),
)
# The number of each swap, the row beside which it is, how far down, and what it changes inside the box of its row.
SWAPS = (
    (4, 0, 17, "", ""),
    (1, 1, 17, "", ""),
    (2, 2, 52, "biases", "no biases"),
    (4, 2, 78, "not rotated", "rotary"),
    (5, 2, 104, "not shared", "shared"),
    (1, 3, 17, "", ""),
    (3, 4, 17, "", ""),
    (2, 4, 52, "biases", "no biases"),
)
LEFT, RIGHT, WIDE, HIGH, TOPS = 4, 204, 118, 34, (44, 112, 180, 316, 384)
TALL = {2: 116, 4: 64}  # the heights of boxes that also say what is changed inside them
END = TOPS[-1] + HIGH + 48


def two_blocks() -> Drawing:
    """Draw one block of each model; what is new is blue, with the number of its swap."""
    canvas = Canvas(END + 14)
    for x, name, place in ((LEFT, "GPT-2", 0), (RIGHT, "Llama 3", 1)):
        stream = x + WIDE + 26
        canvas.text(x + WIDE / 2, 20, name, "bold")
        canvas.line((stream, 30), (stream, END), kind="stream", width=4)
        for i, names in enumerate(ROWS):
            y = TOPS[i]
            if names[place]:
                canvas.box(
                    x, y, WIDE, TALL.get(i, HIGH), names[place], role="weight" if place and names[0] != names[1] else ""
                )
        for i in (0, 2, 4):
            y = TOPS[i] + HIGH // 2
            if i or not place:
                canvas.line((x + WIDE, y), (stream - 10, y))
                canvas.plus(stream, y)
        for i in (1, 3):
            y = TOPS[i]
            canvas.line((stream, y + HIGH / 2), (x + WIDE, y + HIGH / 2))
            canvas.line((x + WIDE / 2, y + HIGH), (x + WIDE / 2, TOPS[i + 1]))
    canvas.note(RIGHT + WIDE / 2, TOPS[0] + HIGH / 2 + 5, "nothing added", "weight", "middle")
    for swap, row, down, before, after in SWAPS:
        y = TOPS[row] + down
        canvas.add("circle", cx=RIGHT - 18, cy=y, r=11, class_="plus")
        canvas.text(RIGHT - 18, y + 5, str(swap), "bold", size=13)
        canvas.note(LEFT + WIDE / 2, y + 5, before, "quiet", "middle")
        canvas.note(RIGHT + WIDE / 2, y + 5, after, "weight", "middle")
    return canvas.finish(
        "A block of GPT-2 and a block of Llama",
        "Both add the results of attention and of a feed-forward layer to the stream, each behind a norm. Llama has"
        " RMSNorm in place of layer norm (swap 1), no biases (2), a SwiGLU layer in place of one with a GELU (3), and"
        " no positions that are added before the first block: its attention rotates queries and keys (4), and shares"
        " keys and values (5).",
    )
