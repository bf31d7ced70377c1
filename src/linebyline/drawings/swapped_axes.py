"""How pieces of rows are collected head by head and laid side by side again, and what a join without a swap gives."""

from clearformer import functional as F

from .kit import CELL, SMALL, Canvas, Drawing, number
from .split_heads import NAMES, WORDS, K, Q, V

WIDE, LEFT, GAP = 32, 76, 16  # a cell, where the strips begin, and the space between their halves
ROWS = (24, 116, 196, 288, 390)  # the upper edges of the strips
SHADES = (0.62, 0.12)  # of the two heads: both hold values, so both have the color of values
PLACES = (0, 2, 1, 3)  # where a swap moves the four pieces


def swapped_axes() -> Drawing:
    """Draw the values of two words on their way into two heads, and the results on their way back."""
    q, k, v = (F.split_heads(each, 2) for each in (Q, K, V))  # (n_heads, T, d_k) each
    found = F.scaled_dot_product_attention(q, k, v, F.causal_mask(2))[1].round(2) @ v  # (n_heads, T, d_v)
    cut, joined = V.reshape(2, 2, 2), found.swapaxes(0, 1)  # (T, n_heads, d_v) each
    canvas, said = Canvas(ROWS[-1] + CELL + 10), []
    for y, name, halves, names in zip(
        ROWS,
        ("V, cut", "by head", "results", "by word", "not this"),
        (cut, v, found, joined, found),
        (WORDS, NAMES, NAMES, WORDS, WORDS),
        strict=True,
    ):
        canvas.text(2, y + 18, name, "bold", "start", 13)
        for i, half in enumerate(halves):
            x = LEFT + i * (4 * WIDE + GAP)
            canvas.note(x + 2 * WIDE, y - 7, names[i], anchor="middle")
            for j, piece in enumerate(half):
                _piece(canvas, x + 2 * j * WIDE, y, piece, j if halves is cut or halves is joined else i)
        rows = (f"{word} {', '.join(map(number, half.ravel()))}" for word, half in zip(names, halves, strict=True))
        said.append(f"{name} {'; '.join(rows)}")
    for start, end in ((ROWS[0], ROWS[1]), (ROWS[2], ROWS[3])):
        canvas.note(2, (start + end) / 2 + 10, "swap")
        for piece, place in enumerate(PLACES):
            canvas.line((_middle(piece), start + CELL + 2), (_middle(place), end - 22), kind="value")
    canvas.note(2, ROWS[1] + 58, "attend")
    for x in (LEFT + 2 * WIDE, LEFT + 6 * WIDE + GAP):
        canvas.line((x, ROWS[1] + CELL + 2), (x, ROWS[2] - 22), kind="value")
    y = ROWS[-1] - 24
    for side in (-7, 7):
        canvas.line((19, y - side), (33, y + side), arrow=False, width=3)
    return canvas.finish(
        "The axes are swapped, and swapped back",
        f"{'. '.join(said)}. The last is marked as wrong, because it joins without a swap.",
    )


def _piece(canvas: Canvas, x: float, y: float, numbers: list[float], head: int) -> None:
    """Draw what one word has in one head, in the shade of that head."""
    for j, value in enumerate(numbers):
        place = {"x": x + j * WIDE, "y": y, "width": WIDE, "height": CELL, "fill_opacity": SHADES[head]}
        canvas.add("rect", "", class_="cell value", **place)
        canvas.text(x + (j + 0.5) * WIDE, y + 18, number(value), size=SMALL)


def _middle(piece: int) -> float:
    """Return the middle of one of the four pieces of a strip."""
    return LEFT + (2 * piece + 1) * WIDE + piece // 2 * GAP
