"""Packed texts: rows without padding, and the mask that keeps the texts of a row apart."""

from typing import Any

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing
from .padded_batch import LENGTHS, PLACE, ROW

TEXTS = (("Dan", "sings"), ("I", "like", "tea"))
LENGTH = 16  # positions of a row
LEFT, STEP = 72, 54  # the left edge of the grid, and from one key to the next


def in_rows() -> list[list[int]]:
    """Return the texts of each row of ``LENGTH`` positions, in the order in which they come.

    Example:
        >>> in_rows()
        [[4, 12], [5, 11]]
    """
    rows: list[list[int]] = [[]]
    for words in LENGTHS:
        if sum(rows[-1]) + words > LENGTH:
            rows.append([])
        rows[-1].append(words)
    return rows


def packed_rows() -> Drawing:
    """Draw four texts packed into two rows."""
    canvas, said = Canvas(104), []
    left = (360 - LENGTH * PLACE) / 2
    for i, row in enumerate(in_rows()):
        x, y = left, 26 + i * (ROW + 18)
        for strength, words in zip((0.6, 0.2), row, strict=True):
            canvas.note(x + words * PLACE / 2, y - 5, str(words), anchor="middle")
            for _ in range(words):
                place: dict[str, Any] = {"x": x, "y": y, "width": PLACE, "height": ROW}
                canvas.add("rect", **place, class_="cell layer", fill_opacity=strength)
                x += PLACE
        said.append(" and ".join(map(str, row)))
    places = LENGTH * len(in_rows())
    canvas.note(180, 97, f"{places} positions, {places - sum(LENGTHS)} of padding", "bold", "middle")
    return canvas.finish(
        "Packed texts",
        f"Two rows of {LENGTH} positions, which contain texts of {said[0]} words, and of {said[1]}. No position is"
        " padding.",
    )


def packed_mask() -> tuple[list[int], list[int], np.ndarray]:
    """Return the text and the position of each token of a row, and which query may see which key."""
    text = [number for number, words in enumerate(TEXTS) for _ in words]
    position = [s for words in TEXTS for s in range(len(words))]
    return text, position, F.causal_mask(len(text)) & np.equal.outer(text, text)


def packed_texts() -> Drawing:
    """Draw two texts in one row: their numbers, their positions, and the mask, with what only a causal one allows."""
    text, position, mask = packed_mask()
    words = [word for each in TEXTS for word in each]
    causal, size = F.causal_mask(len(words)), len(words)
    canvas, top = Canvas(86 + size * CELL + 34), 92
    for s, word in enumerate(words):
        canvas.token(LEFT + (s + 0.5) * STEP, 18, word, STEP - 4)
    for y, name, numbers in ((52, "text", text), (74, "position", position)):
        canvas.note(4, y, name)
        for s, value in enumerate(numbers):
            canvas.text(LEFT + (s + 0.5) * STEP, y, str(value))
    canvas.add("rect", x=LEFT, y=top, width=size * STEP, height=size * CELL, class_="empty")
    for t, word in enumerate(words):
        canvas.note(LEFT - 8, top + t * CELL + 18, word, "query", "end")
        for s in range(size):
            x, y = LEFT + s * STEP, top + t * CELL
            place: dict[str, Any] = {"x": x, "y": y, "width": STEP, "height": CELL}
            if mask[t, s]:
                canvas.add("rect", **place, class_="cell weight", fill_opacity=0.3)
                canvas.text(x + STEP / 2, y + 18, "✓", "bold")
            elif causal[t, s]:
                canvas.add("rect", **place, class_="off")
                canvas.note(x + STEP / 2, y + 18, "other", "", "middle")
    canvas.note(LEFT + size * STEP / 2, top + size * CELL + 20, "other: an earlier token of another text", "", "middle")
    seen = "; ".join(f"{word} sees {', '.join(np.array(words)[row])}" for word, row in zip(words, mask, strict=True))
    return canvas.finish(
        "Two texts in one row",
        f"The row is {' '.join(words)}, with text numbers {' '.join(map(str, text))} and positions"
        f" {' '.join(map(str, position))}. {seen}. {(causal & ~mask).sum()} cells, which a causal mask alone would"
        " allow, are marked: they belong to another text.",
    )
