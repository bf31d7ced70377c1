"""How one stack of blocks and an encoder-decoder come to have equally many weights."""

from .kit import Canvas, Drawing

SIDE, LEFT = 18, 4  # of a square, which is a matrix of d times d weights
PARTS = {"weight": "attention", "layer": "cross-attention", "": "feed-forward"}
OF_SOURCE = "KV"  # the matrices of cross-attention that the source is multiplied by
# The squares of each part in a block: attention, cross-attention, feed-forward.
BLOCK, ENCODER, DECODER = (4, 0, 10), (4, 0, 8), (4, 4, 8)
STACKS = (
    ("encoder or decoder alone", ((BLOCK, 4, "every word"),)),
    ("encoder-decoder", ((ENCODER, 2, "source"), (DECODER, 2, "target"))),
)


def squares() -> list[int]:
    """Return how many squares each design has.

    Example:
        >>> squares()
        [56, 56]
    """
    return [sum(blocks * sum(parts) for parts, blocks, _ in halves) for _, halves in STACKS]


def equal_weights() -> Drawing:
    """Draw each block as a row of squares, the blocks of each design below each other."""
    canvas, y = Canvas(300), 34.0
    x = float(LEFT)
    for role, words in PARTS.items():
        canvas.add("rect", x=x, y=4, width=14, height=14, class_=f"cell {role}".strip(), fill_opacity=0.4)
        canvas.note(x + 20, 16, words, "")
        x += 36 + 7 * len(words)
    for number, (name, halves) in enumerate(STACKS):
        canvas.text(LEFT, y + 22, name, "bold", "start")
        canvas.text(356, y + 22, f"{squares()[number]} squares", "bold", "end")
        y += 34
        for parts, blocks, read_by in halves:
            for block in range(blocks):
                roles = [role for role, count in zip(PARTS, parts, strict=True) for _ in range(count)]
                for at, role in enumerate(roles):
                    left, top = LEFT + at * SIDE, y + block * (SIDE + 4)
                    kind = f"cell {role}".strip()
                    canvas.add("rect", x=left, y=top, width=SIDE, height=SIDE, class_=kind, fill_opacity=0.4)
                    if role == "layer" and at - parts[0] < len(OF_SOURCE):
                        canvas.note(left + SIDE / 2, top + 14, OF_SOURCE[at - parts[0]], "", "middle")
            high = blocks * (SIDE + 4) - 4
            canvas.note(356, y + high / 2 + 5, read_by, "quiet", "end")
            y += high + 12
        y += 4
    said = "; ".join(
        f"{name}: "
        + ", ".join(
            f"{n} blocks of {a} for attention, {c} for cross-attention and {f} for feed-forward"
            for (a, c, f), n, _ in halves
        )
        for name, halves in STACKS
    )
    return canvas.finish(
        "Equal weights",
        f"Each square is a matrix of d times d weights. {said}. Both have 56. In"
        " cross-attention, the squares K and V serve the words of the source.",
    )
