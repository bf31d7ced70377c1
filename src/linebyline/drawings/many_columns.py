"""How many tokens of padding with low scores take the weight away from a few words."""

from .kit import CELL, WIDTH, Canvas, Drawing

WORDS, WORD, PAD = 3, 3.0, 1.0  # three words, and what a word and a token of padding add to the sum of the softmax
COLUMNS = (1, 9)  # of padding
LEFT = 4


def weight_of_padding(columns: int) -> float:
    """Return the weight that all columns of padding get together.

    Example:
        >>> [weight_of_padding(columns) for columns in COLUMNS]
        [0.1, 0.5]
    """
    return columns * PAD / (WORDS * WORD + columns * PAD)


def many_columns() -> Drawing:
    """Draw the weights of three words and one token of padding, and of the same words and nine tokens of padding."""
    canvas, said = Canvas(152), []
    full = WIDTH - 2 * LEFT
    for y, columns in zip((38, 108), COLUMNS, strict=True):
        words = f"{columns} column{'s' * (columns > 1)} of padding"
        canvas.note(LEFT, y - 24, f"3 words and {words}", "bold")
        total, x = WORDS * WORD + columns * PAD, float(LEFT)
        for part in [WORD] * WORDS + [PAD] * columns:
            wide = full * part / total
            style = {"class_": "off"} if part == PAD else {"class_": "cell weight", "fill_opacity": "0.4"}
            canvas.add("rect", x=x, y=y, width=wide, height=CELL, **style)
            if part == WORD:
                canvas.note(x + wide / 2, y + 18, "3", "", "middle")
            elif wide > 14:
                canvas.note(x + wide / 2, y + 18, "1", "", "middle")
            x += wide
        padding = weight_of_padding(columns)
        for at, fraction, name in ((0.0, 1 - padding, "words"), (1 - padding, padding, "padding")):
            end = name == "padding"
            edge = LEFT + full if end else LEFT + full * at
            canvas.note(edge, y - 6, f"{name} {fraction:.0%}", "", "end" if end else "start")
        said.append(f"with {words}, the words get {1 - padding:.0%} of the weight and the padding {padding:.0%}")
    return canvas.finish(
        "A low score, many times",
        f"A bar for the sum of a softmax, to which each of three words adds 3 and each column of padding 1: {said[0]};"
        f" {said[1]}.",
    )
