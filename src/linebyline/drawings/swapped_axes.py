"""How pieces of rows are collected head by head and laid side by side again, and what a join without a swap gives."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, SMALL, Canvas, Drawing, number
from .split_heads import NAMES, WORDS, K, Q, V

WIDE, LEFT, GAP = 32, 76, 16  # a cell, where the strips begin, and the space between their halves
UP = 38  # from a strip to the top of its two rows of names
SHADES = (0.62, 0.12)  # of the two heads: both hold values, so both have the color of values
PLACES = (0, 2, 1, 3)  # where a swap moves the four pieces


def _found() -> np.ndarray:
    """Return the results of both heads, (n_heads, T, d_v)."""
    q, k, v = (F.split_heads(each, 2) for each in (Q, K, V))  # (n_heads, T, d_k) each
    found: np.ndarray = F.scaled_dot_product_attention(q, k, v, F.causal_mask(2))[1].round(2) @ v
    return found


def swapped_axes() -> Drawing:
    """Draw the values of two words on their way into two heads, and the results on their way back."""
    cut, found = V.reshape(2, 2, 2), _found()  # (T, n_heads, d_v), (n_heads, T, d_v)
    canvas, tops = Canvas(394), (40, 148, 244, 352)  # the upper edges of the strips
    said = [
        _strip(canvas, tops[0], "V, cut", cut, by_head=False),
        _strip(canvas, tops[1], "by head", cut.swapaxes(0, 1), by_head=True),
        _strip(canvas, tops[2], "results", found, by_head=True),
        _strip(canvas, tops[3], "by word", found.swapaxes(0, 1), by_head=False),
    ]
    for top, axes in zip(tops, ("(T, h, d_k)", "(h, T, d_k)", "(h, T, d_k)", "(T, h, d_k)"), strict=True):
        canvas.note(2, top + 37, axes)
    for start, end in (tops[:2], tops[2:]):
        canvas.note(2, (start + end) / 2 + 10, "swap")
        _move(canvas, start, end, PLACES)
    canvas.note(2, tops[1] + 54, "attend")
    for x in (LEFT + 2 * WIDE, LEFT + 6 * WIDE + GAP):
        canvas.line((x, tops[1] + CELL + 2), (x, tops[2] - UP), kind="value")
    return canvas.finish(
        "The axes are swapped, and swapped back",
        f"{'. '.join(said)}. The first swap turns the shape (T, h, d_k) into (h, T, d_k), the second turns it back.",
    )


def joined_unswapped() -> Drawing:
    """Draw the results of two heads, joined for each word with a swap and, marked as wrong, without one."""
    found = _found()
    canvas, tops = Canvas(264), (40, 128, 228)
    said = [
        _strip(canvas, tops[0], "results", found, by_head=True),
        _strip(canvas, tops[1], "swapped", found.swapaxes(0, 1), by_head=False),
        _strip(canvas, tops[2], "not this", found, by_head=True, names=WORDS),
    ]
    _move(canvas, *tops[:2], PLACES)
    for side in (-7, 7):
        canvas.line((19, tops[2] - 24 - side), (33, tops[2] - 24 + side), arrow=False, width=3)
    return canvas.finish(
        "Results, joined with a swap and without", f"{'. '.join(said)}. The last joins without a swap, and is wrong."
    )


def _strip(
    canvas: Canvas, y: float, name: str, halves: np.ndarray, *, by_head: bool, names: tuple[str, ...] = ()
) -> str:
    """Draw two halves of a strip, which belong to heads or to words, and say what they hold."""
    names = names or (NAMES if by_head else WORDS)
    canvas.text(2, y + 18, name, "bold", "start", 13)
    for i, half in enumerate(halves):
        x = LEFT + i * (4 * WIDE + GAP)
        canvas.text(x + 2 * WIDE, y - 23, names[i], "bold", size=13)
        for j, piece in enumerate(half):
            head = i if by_head else j
            inner = WORDS[j] if names == NAMES else NAMES[head]
            canvas.note(x + (2 * j + 1) * WIDE, y - 7, inner, anchor="middle")
            _piece(canvas, x + 2 * j * WIDE, y, piece, head)
    rows = (f"{word} {', '.join(map(number, half.ravel()))}" for word, half in zip(names, halves, strict=True))
    return f"{name}: {'; '.join(rows)}"


def _move(canvas: Canvas, start: float, end: float, places: tuple[int, ...]) -> None:
    """Draw where each of four pieces of a strip goes in the next one."""
    for piece, place in enumerate(places):
        canvas.line((_middle(piece), start + CELL + 2), (_middle(place), end - UP), kind="value")


def _piece(canvas: Canvas, x: float, y: float, numbers: np.ndarray, head: int) -> None:
    """Draw what one word has in one head, in the shade of that head."""
    for j, value in enumerate(numbers):
        place = {"x": x + j * WIDE, "y": y, "width": WIDE, "height": CELL, "fill_opacity": SHADES[head]}
        canvas.add("rect", "", class_="cell value", **place)
        canvas.text(x + (j + 0.5) * WIDE, y + 18, number(value), size=SMALL)


def _middle(piece: int) -> float:
    """Return the middle of one of the four pieces of a strip."""
    return LEFT + (2 * piece + 1) * WIDE + piece // 2 * GAP
