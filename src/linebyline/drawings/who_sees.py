"""Who sees whom when an encoder, a decoder or both translate three words into three."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

N, STEP, LEFT = 3, 22, 70  # words of each side, the size of a cell, and where the grids begin
NOTES = {
    "encoder-only": ("all see all, but", "the target is only", "empty places"),
    "decoder-only": ("each sees itself", "and its past, even", "in the source"),
    "encoder-decoder": ("encoder", "cross-attention", "decoder"),
}


def masks() -> dict[str, np.ndarray]:
    """Return for each architecture which positions see which, (2N, 2N), the source first."""
    causal = F.causal_mask(2 * N)
    both = causal | (np.arange(2 * N) < N)  # everyone sees the source, the target its past
    return dict(zip(NOTES, (causal | True, causal, both), strict=True))


def who_sees() -> Drawing:
    """Draw a grid for each architecture, with a check where a query may see a key."""
    canvas = Canvas(560)
    tints = {(0, 0): "weight", (1, 0): "layer", (1, 1): ""}  # by the sides of query and key
    for number, (name, mask) in enumerate(masks().items()):
        top = 46 + number * 190
        canvas.text(LEFT, top - 28, name, "bold", "start")
        for side, word in enumerate(("source", "target")):
            at = (side + 0.5) * N * STEP
            canvas.note(LEFT + at, top - 7, word, "key", "middle")
            canvas.note(LEFT - 8, top + at + 5, word, "query", "end")
        canvas.add("rect", x=LEFT, y=top, width=2 * N * STEP, height=2 * N * STEP, class_="off")
        for i, j in np.argwhere(mask).tolist():
            x, y = LEFT + j * STEP, top + i * STEP
            role = tints[i // N, j // N] if name == "encoder-decoder" else "weight"
            canvas.add("rect", x=x, y=y, width=STEP, height=STEP, class_=f"cell {role}".strip(), fill_opacity=0.3)
            canvas.text(x + STEP / 2, y + 16, "✓", "bold")
        half = N * STEP
        for ends in (((half, 0), (half, 2 * half)), ((0, half), (2 * half, half))):
            canvas.line(*((LEFT + x, top + y) for x, y in ends), arrow=False, width=2)
        parts = list(tints.values()) if name == "encoder-decoder" else []
        for line, words in enumerate(NOTES[name]):
            x, y = LEFT + 2 * half + 10, top + 50 + 22 * line
            if parts:
                role = f"cell {parts[line]}".strip()
                canvas.add("rect", x=x, y=y - 12, width=14, height=14, class_=role, fill_opacity=0.3)
            canvas.note(x + 20 * bool(parts), y, words, "")
    return canvas.finish(
        "Who sees whom",
        "Three grids of six positions: three of the source, then three of the target; rows are queries, columns keys. "
        + "; ".join(f"{name}: {' '.join(words)}" for name, words in NOTES.items()),
    )
