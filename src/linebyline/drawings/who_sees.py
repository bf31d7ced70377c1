"""Who sees whom when an encoder, a decoder or both translate a sentence."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

SOURCE, TARGET = ("the", "boy", "washes", "the", "bicycle"), ("pojken", "tvättar", "cykeln")
S, N = len(SOURCE), len(SOURCE) + len(TARGET)
STEP, LEFT = 18, 76  # the size of a cell, and where the grids begin
FOLLOWED = ("boy", "tvättar", "2nd")  # the rows that the text follows
ALONE = {"encoder alone": "weight", "decoder alone": "value"}  # the colors of the two halves
NOTES = {
    "encoder alone": ("all places see all;", "those of the target", "are empty"),
    "decoder alone": ("each sees itself", "and its past, even", "in the source"),
    "encoder-decoder": ("encoder", "cross-attention", "decoder"),
}


def masks() -> dict[str, np.ndarray]:
    """Return for each architecture which positions see which, (N, N), the source first."""
    causal = F.causal_mask(N)
    both = causal | (np.arange(N) < S)  # everyone sees the source, the target its past
    return dict(zip(NOTES, (causal | True, causal, both), strict=True))


def who_sees() -> Drawing:
    """Draw a grid for each architecture, with a filled cell where a query may see a key."""
    canvas = Canvas(650)
    tints = {(0, 0): "weight", (1, 0): "layer", (1, 1): "value"}  # by the sides of query and key
    side = N * STEP
    for number, (name, mask) in enumerate(masks().items()):
        top, parted = 62 + number * 222, name == "encoder-decoder"
        empty = ("1st", "2nd", "3rd")
        canvas.text(4, top - 44, name, "bold", "start")
        for word, at in (("source", S / 2), ("target", (S + N) / 2)):
            canvas.note(LEFT + at * STEP, top - 24, word, "key", "middle")
        rows = (*SOURCE, *(empty if name == "encoder alone" else TARGET))
        for j, word in enumerate(rows):
            canvas.note(LEFT + (j + 0.5) * STEP, top - 6, word[0], "quiet", "middle")
        for i, word in enumerate(rows):
            canvas.note(LEFT - 8, top + i * STEP + 14, word, "bold" if word in FOLLOWED else "quiet", "end")
        for i, j in np.argwhere(mask).tolist():
            role = tints[int(i >= S), int(j >= S)] if parted else ALONE[name]
            x, y = LEFT + j * STEP, top + i * STEP
            canvas.add("rect", x=x, y=y, width=STEP, height=STEP, class_=f"cell {role}", fill_opacity=0.4)
        canvas.add("rect", x=LEFT, y=top, width=side, height=side, class_="off")
        for ends in (((S * STEP, 0), (S * STEP, side)), ((0, S * STEP), (side, S * STEP))):
            canvas.line(*((LEFT + x, top + y) for x, y in ends), arrow=False, width=2)
        for line, words in enumerate(NOTES[name]):
            x, y = LEFT + side + 8, top + 56 + 22 * line
            if parted:
                role = list(tints.values())[line]
                canvas.add("rect", x=x, y=y - 12, width=14, height=14, class_=f"cell {role}", fill_opacity=0.4)
            canvas.note(x + 20 * parted, y, words, "")
    return canvas.finish(
        "Who sees whom",
        f"Three grids of {N} positions: {' '.join(SOURCE)}, then {' '.join(TARGET)}, or as many empty places; rows are"
        " queries, columns keys. " + "; ".join(f"{name}: {' '.join(words)}" for name, words in NOTES.items()),
    )
