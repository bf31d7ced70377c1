"""Who sees whom when an encoder, a decoder or both translate a sentence."""

from typing import Any

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

SOURCE, TARGET = ("the", "boy", "washes", "the", "bicycle"), ("start", "pojken", "tvättar")
EMPTY = ("1st", "2nd", "3rd")  # the places for a target that an encoder alone gets
S, N = len(SOURCE), len(SOURCE) + len(TARGET)
ACROSS, DOWN, LEFT, TOP = 18, 17, 68, 24  # the sides of a cell, and where the first grid begins
APART = N * DOWN + 36  # from the top of a grid to that of the next
FOLLOWED = (1, S + 1)  # the rows that the text follows: boy, and the place that writes tvättar
SEEN = {"encoder alone": "all places", "decoder alone": "its past", "encoder-decoder": "both ways, and its past"}


def masks() -> dict[str, np.ndarray]:
    """Return for each architecture which positions see which, (N, N), the source first."""
    causal = F.causal_mask(N)
    both = causal | (np.arange(N) < S)  # everyone sees the source, the target its past
    return dict(zip(SEEN, (causal | True, causal, both), strict=True))


def who_sees() -> Drawing:
    """Draw a grid for each architecture, one below the other, with a filled cell where a query may see a key."""
    canvas = Canvas(TOP + 3 * APART - 24)
    across, down = N * ACROSS, N * DOWN
    for number, (name, mask) in enumerate(masks().items()):
        top, beside = TOP + number * APART, LEFT + across + 10
        labels = (*SOURCE, *(EMPTY if name == "encoder alone" else TARGET))
        for i, word in enumerate(labels):
            kind = "bold" if i in FOLLOWED else "quiet"
            canvas.note(LEFT + (i + 0.5) * ACROSS, top - 5, word[0], "quiet", "middle")
            canvas.note(LEFT - 6, top + i * DOWN + 13, word, kind, "end")
        for i, j in np.argwhere(mask).tolist():
            place: dict[str, Any] = {"x": LEFT + j * ACROSS, "y": top + i * DOWN, "width": ACROSS, "height": DOWN}
            crossing = name == "encoder-decoder" and i >= S > j
            canvas.add("rect", **place, class_=f"cell {'layer' if crossing else 'weight'}", fill_opacity=0.4)
        canvas.add("rect", x=LEFT, y=top, width=across, height=down, class_="off")
        for ends in (((S * ACROSS, 0), (S * ACROSS, down)), ((0, S * DOWN), (across, S * DOWN))):
            canvas.line(*((LEFT + x, top + y) for x, y in ends), arrow=False, width=3)
        canvas.note(beside, top - 5, name, "bold")
        for i in FOLLOWED:
            frame: dict[str, Any] = {"x": LEFT - 1, "y": top + i * DOWN, "width": across + 2, "height": DOWN}
            canvas.add("rect", **frame, rx=3, class_="token lit", style="fill:none")
            seen = int(mask[i].sum())
            parts = f"{S} + {seen - S}" if name == "encoder-decoder" and i >= S else f"{seen}"
            canvas.note(beside, top + i * DOWN + 13, f"{labels[i]} sees {parts}", "")
    return canvas.finish(
        "Who sees whom",
        f"Three grids of {N} positions, one below the other: {' '.join(SOURCE)}, then {' '.join(TARGET)}, or as many"
        " empty places; rows are queries, columns keys. Framed are boy and the row that writes tvättar. What each"
        " sees: " + "; ".join(f"{name}, {seen}" for name, seen in SEEN.items()) + ".",
    )
