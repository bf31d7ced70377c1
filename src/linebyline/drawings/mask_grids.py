"""Masks as grids: which query may see which key."""

from collections.abc import Sequence

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing

WORDS = ("I", "like", "tea", "pad")
TURNED = (WORDS[-1], *WORDS[:-1])  # the same with its padding on the left
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
    notes = ("every key", "itself and earlier", "true words only", "causal and padding")
    for (name, mask), (x, y), note in zip(grids().items(), PLACES, notes, strict=True):
        canvas.text(x + 2 * STEP, y - 28, name, "bold")
        _grid(canvas, x, y, mask)
        canvas.note(x + 2 * STEP, y + 4 * CELL + 19, note, anchor="middle")
    return canvas.finish("Four masks", _description())


def sides() -> dict[str, np.ndarray]:
    """Return the causal mask, and both masks, for padding on the right and on the left, each (4, 4)."""
    causal = F.causal_mask(len(WORDS))
    found: dict[str, np.ndarray] = {}
    for side, words in (("right", WORDS), ("left", TURNED)):
        true = np.array(words) != WORDS[-1]  # (S,)
        found |= {f"{side}, causal": causal, f"{side}, both": causal & true}
    return found


def padding_sides() -> Drawing:
    """Draw what the causal mask and both masks show, once with padding on the right and once on the left."""
    canvas = Canvas(436)
    canvas.text(4, 18, "Padding on the right", "bold", "start")
    canvas.text(4, 238, "Padding on the left", "bold", "start")
    notes = ("no word sees it", "the same for words", "! words see padding", "an empty row")
    for (name, mask), (x, y), note in zip(sides().items(), PLACES, notes, strict=True):
        top = y + 32 * (y > PLACES[0][1])  # below the second title
        canvas.note(x + 2 * STEP, top - 26, name.partition(", ")[2], "", "middle")
        _grid(canvas, x, top, mask, TURNED if "left" in name else WORDS)
        canvas.note(x + 2 * STEP, top + 4 * CELL + 19, note, anchor="middle")
    return canvas.finish(
        "Padding on the right and on the left",
        "A check marks each key, above, that a query, on the left, may see. With the padding on the right, no true word"
        " sees it with the causal mask alone. With the padding on the left, the causal mask shows it to every word, as"
        " exclamation marks say; with both masks no word sees it, and its own row is empty.",
    )


def _grid(canvas: Canvas, x: float, y: float, mask: np.ndarray, words: Sequence[str] = WORDS) -> None:
    """Draw a mask with its queries on the left and its keys above: a check where the query may see the key.

    With the padding on the left, an exclamation mark takes the place of the check where a true word sees it.
    """
    canvas.add("rect", x=x, y=y, width=4 * STEP, height=4 * CELL, class_="off")
    true = [word != WORDS[-1] for word in words]
    for i, word in enumerate(words):
        canvas.note(x - 6, y + i * CELL + 18, word, "query" if true[i] else "quiet", "end")
        canvas.note(x + (i + 0.5) * STEP, y - 7, word, "key" if true[i] else "quiet", "middle")
        for j in range(len(words)):
            left, top = x + j * STEP, y + i * CELL
            wrong = mask[i, j] and true[i] and not true[j] and words != WORDS
            role = "query" if wrong else "weight"
            if mask[i, j]:
                canvas.add("rect", x=left, y=top, width=STEP, height=CELL, class_=f"cell {role}", fill_opacity=0.3)
            sign = ("!" if wrong else "✓") if mask[i, j] else "–"
            canvas.text(left + STEP / 2, top + 18, sign, "bold" if mask[i, j] else "quiet")


def _description() -> str:
    """Return in words which keys each query may see."""
    said = []
    for name, mask in grids().items():
        rows = [f"{word} sees {', '.join(np.array(WORDS)[row])}" for word, row in zip(WORDS, mask, strict=True)]
        said.append(f"{name}: {'; '.join(rows)}")
    return "A check marks each key, above, that a query, on the left, may see. " + ". ".join(said) + "."
