"""Masks as grids: which query may see which key."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing

WORDS = ("I", "like", "tea", "pad")
TRUE_TOKENS = 3
STEP = 32  # from one key to the next
PLACES = ((44, 84), (228, 84), (44, 272), (228, 272))  # the upper left corner of each grid


def grids() -> dict[str, np.ndarray]:
    """Return the four masks of a sentence of three words and one token of padding, each (4, 4)."""
    T = len(WORDS)
    causal = F.causal_mask(T)  # (T, S)
    padding = F.padding_mask([TRUE_TOKENS], T)[0] & np.ones((T, T), bool)  # (1, S) for each query: (T, S)
    return {"no mask": causal | True, "causal": causal, "padding": padding, "both": causal & padding}


def mask_grids() -> Drawing:
    """Draw a grid each without a mask, with the causal one, with the one for padding, and with both."""
    canvas = Canvas(404)
    canvas.note(4, 18, "row: a query", "query")
    canvas.note(356, 18, "column: a key", "key", "end")
    canvas.note(180, 18, "✓ may see", "", "middle")
    notes = ("every key", "itself and earlier", "real words only", "causal and padding")
    for (name, mask), (x, y), note in zip(grids().items(), PLACES, notes, strict=True):
        canvas.text(x + 2 * STEP, y - 28, name, "bold")
        _grid(canvas, x, y, mask)
        canvas.note(x + 2 * STEP, y + 4 * CELL + 19, note, anchor="middle")
    return canvas.finish("Four masks", _description())


def _grid(canvas: Canvas, x: float, y: float, mask: np.ndarray) -> None:
    """Draw a mask with its queries on the left and its keys above: a check where the query may see the key."""
    canvas.add("rect", x=x, y=y, width=4 * STEP, height=4 * CELL, class_="off")
    for i, word in enumerate(WORDS):
        true = i < TRUE_TOKENS
        canvas.note(x - 6, y + i * CELL + 18, word, "query" if true else "quiet", "end")
        canvas.note(x + (i + 0.5) * STEP, y - 7, word, "key" if true else "quiet", "middle")
        for j, seen in enumerate(mask[i]):
            left, top = x + j * STEP, y + i * CELL
            if seen:
                canvas.add("rect", x=left, y=top, width=STEP, height=CELL, class_="cell weight", fill_opacity=0.3)
            canvas.text(left + STEP / 2, top + 18, "✓" if seen else "–", "bold" if seen else "quiet")


def _description() -> str:
    """Return in words which keys each query may see."""
    said = []
    for name, mask in grids().items():
        rows = [f"{word} sees {', '.join(np.array(WORDS)[row])}" for word, row in zip(WORDS, mask, strict=True)]
        said.append(f"{name}: {'; '.join(rows)}")
    return "A check marks each key, above, that a query, on the left, may see. " + ". ".join(said) + "."
