"""Who sees whom when an encoder, a decoder or both translate a sentence."""

from typing import Any

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

SOURCE, TARGET = ("the", "boy", "washes", "the", "bicycle"), ("start", "pojken", "tvättar")
EMPTY = ("1st", "2nd", "3rd")  # the places for a target that an encoder alone gets
S, N = len(SOURCE), len(SOURCE) + len(TARGET)
ACROSS, DOWN, LEFT, TOP, APART = 9.5, 20, 56, 60, 82  # a cell's sides, where the grids begin, and from grid to grid
FOLLOWED = (1, S + 1)  # the rows that the text follows: boy, and the place that writes tvättar
SEEN = {"encoder alone": "all places", "decoder alone": "its past", "encoder-decoder": "both ways, and its past"}
COLORS = dict(zip(SEEN, ("value", "layer", "weight"), strict=True))


def masks() -> dict[str, np.ndarray]:
    """Return for each architecture which positions see which, (N, N), the source first."""
    causal = F.causal_mask(N)
    both = causal | (np.arange(N) < S)  # everyone sees the source, the target its past
    return dict(zip(SEEN, (causal | True, causal, both), strict=True))


def who_sees() -> Drawing:
    """Draw a grid for each architecture, side by side, with a filled cell where a query may see a key."""
    canvas = Canvas(256)
    across, down = N * ACROSS, N * DOWN
    for number, (name, mask) in enumerate(masks().items()):
        left = LEFT + number * APART
        for line, word in enumerate(name.replace("-", "- ").split()):
            canvas.note(left + across / 2, 16 + 17 * line, word, "bold", "middle")
        places = EMPTY if name == "encoder alone" else TARGET
        for j, word in enumerate((*SOURCE, *places)):
            canvas.note(left + (j + 0.5) * ACROSS, TOP - 6, word[0], "quiet", "middle")
        for i, j in np.argwhere(mask).tolist():
            place: dict[str, Any] = {"x": left + j * ACROSS, "y": TOP + i * DOWN, "width": ACROSS, "height": DOWN}
            canvas.add("rect", **place, class_=f"cell {COLORS[name]}", fill_opacity=0.4)
        canvas.add("rect", x=left, y=TOP, width=across, height=down, class_="off")
        for i in FOLLOWED:
            frame: dict[str, Any] = {"x": left - 1, "y": TOP + i * DOWN, "width": across + 2, "height": DOWN}
            canvas.add("rect", **frame, rx=3, class_="token lit", style="fill:none")
        for ends in (((S * ACROSS, 0), (S * ACROSS, down)), ((0, S * DOWN), (across, S * DOWN))):
            canvas.line(*((left + x, TOP + y) for x, y in ends), arrow=False, width=2)
    for i, word in enumerate((*SOURCE, *EMPTY)):
        canvas.note(LEFT - 6, TOP + i * DOWN + 15, word, "bold" if i in FOLLOWED else "quiet", "end")
    for i, word in enumerate(TARGET, S):
        canvas.note(LEFT + 2 * APART + across + 4, TOP + i * DOWN + 15, word, "bold" if i in FOLLOWED else "quiet")
    canvas.note(180, TOP + down + 26, "the lower frame: the row that writes tvättar", "", "middle")
    return canvas.finish(
        "Who sees whom",
        f"Three grids of {N} positions, side by side: {' '.join(SOURCE)}, then {' '.join(TARGET)}, or as many empty"
        " places; rows are queries, columns keys. Framed are boy and the row that writes tvättar. What each sees: "
        + "; ".join(f"{name}, {seen}" for name, seen in SEEN.items())
        + ".",
    )
