"""How the width of a head sharpens its softmax, before anything has been learned."""

from typing import Any

import numpy as np

from clearformer import functional as F

from .kit import SMALL, Canvas, Drawing

WIDTHS, N_KEYS, N_DRAWS = (4, 64, 256), 6, 4000
LEFT, BAR, HIGH = (78, 226), 20, 56


def shares() -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Return mean weights, the largest first, of keys of +1 and -1 for each width: undivided and divided."""
    found = {}
    for d_k in WIDTHS:
        signs = np.random.default_rng(2).choice(np.array([-1.0, 1.0], np.float32), size=(N_DRAWS, N_KEYS + 1, d_k))
        scores = np.einsum("bd,bsd->bs", signs[:, 0], signs[:, 1:]).astype(float)  # (N_DRAWS, S)
        both = (np.sort(F.softmax(scores / root)) for root in (1, np.sqrt(d_k)))
        raw, divided = (weights[:, ::-1].mean(axis=0) for weights in both)
        found[d_k] = raw, divided
    return found


def sharpness() -> Drawing:
    """Draw the weights of six keys for three widths: without the factor on the left, with it on the right."""
    canvas, drawn = Canvas(276), shares()
    for x, words in zip(LEFT, ("as they are", "divided by √d_k"), strict=True):
        canvas.text(x + 3 * BAR, 18, words, "bold", size=SMALL + 1)
    for row, (d_k, pair) in enumerate(drawn.items()):
        floor = 94 + 82 * row
        canvas.text(4, floor - 20, f"d_k = {d_k}", "", "start")
        for x, weights in zip(LEFT, pair, strict=True):
            canvas.line((x - 4, floor), (x + N_KEYS * BAR, floor), arrow=False)
            for s, weight in enumerate(weights):
                place: dict[str, Any] = {"x": x + s * BAR, "y": float(floor - HIGH * weight), "width": BAR - 4}
                canvas.add("rect", **place, height=float(HIGH * weight), class_="filled weight")
            top = int(weights.argmax())
            label = f"{weights[top]:.2f}"
            canvas.note(x + top * BAR + 8, float(floor - HIGH * weights[top] - 5), label, "", "middle")
    most = ", ".join(f"{pair[0].max():.2f} at width {d_k}" for d_k, pair in drawn.items())
    even = ", ".join(f"{pair[1].max():.2f}" for pair in drawn.values())
    return canvas.finish(
        "The softmax of random scores",
        "Bars of the weights of six random keys, the largest first, averaged over many draws. With the raw scores as"
        f" they are, the largest weight is {most}."
        f" Divided by the root of the width, it is {even}.",
    )
