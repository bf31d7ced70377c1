"""How pieces of rows are collected head by head and laid side by side again, and what a join without a swap gives."""

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number
from .split_heads import NAMES, WORDS, K, Q, V

WIDE, LEFT, GAP = 32, 76, 16  # a cell, where the strips begin, and the space between their halves
ROWS = (24, 116, 196, 288, 372)  # the upper edges of the strips
COLORS = ("query", "key")  # of the two heads
PLACES = (0, 2, 1, 3)  # where a swap moves the four pieces


def swapped_axes() -> Drawing:
    """Draw the values of two words on their way into two heads, and the results on their way back."""
    q, k, v = (F.split_heads(each, 2) for each in (Q, K, V))  # (n_heads, T, d_k) each
    found = F.scaled_dot_product_attention(q, k, v, F.causal_mask(2))[1].round(2) @ v  # (n_heads, T, d_v)
    cut, joined = V.reshape(2, 2, 2), found.swapaxes(0, 1)  # (T, n_heads, d_v) each
    canvas, said = Canvas(ROWS[-1] + CELL + 10), []
    for y, name, halves, names in zip(
        ROWS,
        ("V, cut", "by head", "results", "by word", "not this:"),
        (cut, v, found, joined, found),
        (WORDS, NAMES, NAMES, WORDS, WORDS),
        strict=True,
    ):
        canvas.text(2, y + 18, name, "bold", "start", 13)
        for i, half in enumerate(halves):
            x = LEFT + i * (4 * WIDE + GAP)
            canvas.note(x + 2 * WIDE, y - 7, names[i], anchor="middle")
            for j, piece in enumerate(half):
                head = j if halves is cut or halves is joined else i
                canvas.matrix(x + 2 * j * WIDE, y, [piece.tolist()], COLORS[head], top=12, cell=WIDE)
        rows = (f"{word} {', '.join(map(number, half.ravel()))}" for word, half in zip(names, halves, strict=True))
        said.append(f"{name} {'; '.join(rows)}")
    for start, end in ((ROWS[0], ROWS[1]), (ROWS[2], ROWS[3])):
        canvas.note(2, (start + end) / 2 + 10, "swap")
        for piece, place in enumerate(PLACES):
            color = COLORS[piece % 2 if start == ROWS[0] else piece // 2]
            canvas.line((_middle(piece), start + CELL + 2), (_middle(place), end - 22), kind=color)
    canvas.note(2, ROWS[1] + 58, "attend")
    for x in (LEFT + 2 * WIDE, LEFT + 6 * WIDE + GAP):
        canvas.line((x, ROWS[1] + CELL + 2), (x, ROWS[2] - 22), kind="value")
    y, end = ROWS[-1], LEFT + 8 * WIDE + GAP
    for heights in ((y - 3, y + CELL + 3), (y + CELL + 3, y - 3)):
        canvas.line((LEFT - 4, heights[0]), (end + 4, heights[1]), arrow=False, width=1)
    return canvas.finish(
        "The axes are swapped, and swapped back",
        f"{'. '.join(said)}. The last is crossed out, because it joins without a swap.",
    )


def _middle(piece: int) -> float:
    """Return the middle of one of the four pieces of a strip."""
    return LEFT + (2 * piece + 1) * WIDE + piece // 2 * GAP
