"""The way back through attention in blocks of keys: what is kept, what is computed again, and what comes of it."""

from .kit import Canvas, Drawing

TOKENS, BLOCK = 4, 2  # queries and keys of the picture; the keys of a block
CELL, LEFT, TOP = 34, 62, 64


def key_blocks() -> Drawing:
    """Draw the square of weights with one block of keys filled, two numbers a row, and three gradients."""
    canvas, wide = Canvas(292), TOKENS * CELL
    canvas.text(LEFT + wide / 2, 18, "weights", "weight", "middle", 14)
    canvas.note(LEFT + wide - CELL, TOP - 22, "this block", "bold", "middle")
    canvas.note(LEFT + CELL, TOP - 22, "others", anchor="middle")
    for t in range(TOKENS):
        canvas.note(LEFT - 8, TOP + t * CELL + 22, f"query {t}", anchor="end")
        for s in range(TOKENS):
            lit = s >= TOKENS - BLOCK
            canvas.add(
                "rect", x=LEFT + s * CELL, y=TOP + t * CELL, width=CELL, height=CELL, fill_opacity=0.45 if lit else 0,
                class_="cell weight", stroke_opacity=1 if lit else 0.35,
            )  # fmt: skip
        for x in (226, 268):
            canvas.add("rect", x=x, y=TOP + t * CELL, width=CELL, height=CELL, fill_opacity=0.3, class_="cell layer")
    for s in range(TOKENS):
        canvas.note(LEFT + (s + 0.5) * CELL, TOP - 6, str(s), anchor="middle")
    for x, words in ((243, "ℓ"), (285, "D")):
        canvas.text(x, TOP - 8, words, "bold")
    canvas.note(264, TOP - 32, "for each query", anchor="middle")
    bottom, keys = TOP + wide, LEFT + wide - CELL
    canvas.line((keys, bottom + 4), (keys, bottom + 30), kind="key", width=2)
    canvas.text(keys, bottom + 50, "keys and values 2, 3", "key", "middle", 14)
    canvas.note(keys, bottom + 68, "their whole gradient", "", "middle")
    canvas.line((LEFT + wide + 2, bottom - 10), (306, bottom + 30), kind="query", width=2)
    canvas.text(302, bottom + 50, "all queries", "query", "middle", 14)
    canvas.note(302, bottom + 68, "one more term", "", "middle")
    return canvas.finish(
        "Attention's gradients in blocks of keys",
        f"A square of {TOKENS} queries by {TOKENS} keys, of which only the last {BLOCK} columns are filled: the block"
        " whose weights are computed again. Beside it, two numbers for each row, the logarithm of the sum and the"
        " average cost. Downward, the block yields the complete gradients of its keys and values. To the right, it"
        " adds one term to the gradients of all queries.",
    )
