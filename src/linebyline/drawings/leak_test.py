"""The test for leaks: replace the last of three words, and see which outputs move."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing, number

WORDS, REPLACEMENT = ("I", "like", "tea"), "jam"
VALUES, REPLACED = (2.0, 4.0, 9.0), 12.0
COLUMNS = (158, 238, 318)
WIDE = 56  # of a cell


def outputs() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the plain means of the visible values, before and after the last word is replaced, by mask."""
    T = len(WORDS)
    values = np.array([VALUES, (*VALUES[:-1], REPLACED)])[..., None]  # (2, T, 1)
    means = {}
    for name, mask in (("causal mask", F.causal_mask(T)), ("no mask", None)):
        flat = np.zeros((2, T, 1))  # equal scores, so equal weights
        before, after = F.scaled_dot_product_attention(flat, flat, values, mask)[0][..., 0]
        means[name] = before, after
    return means


def leak_test() -> Drawing:
    """Draw the outputs of three words before and after the last is replaced, with a causal mask and without one."""
    canvas = Canvas(390)
    _row(canvas, 24, "the text", WORDS)
    _values(canvas, 62, "its values", VALUES, "value")
    _row(canvas, 108, "replaced", (*WORDS[:-1], REPLACEMENT), lit=len(WORDS) - 1)
    _values(canvas, 146, "its values", (*VALUES[:-1], REPLACED), "value")
    for y, (name, (before, after)) in zip((194, 304), outputs().items(), strict=True):
        canvas.text(4, y, name, "bold", "start")
        _values(canvas, y + 22, "outputs before", before)
        _values(canvas, y + 50, "outputs after", after)
        for t, x in enumerate(COLUMNS):
            moved, earlier = before[t] != after[t], t < len(WORDS) - 1
            words = "leak" if moved and earlier else "may move" if moved else "same"
            canvas.note(x, y + 80, words, "bold" if words == "leak" else "quiet", "middle")
    said = "; ".join(
        f"with {name} the outputs are {_list(before)} before and {_list(after)} after"
        for name, (before, after) in outputs().items()
    )
    return canvas.finish(
        "A test for leaks",
        f"The words {' '.join(WORDS)} have the values {_list(VALUES)}, and each output is the mean of the values that"
        f" its word may see. {WORDS[-1]} is replaced by {REPLACEMENT}, with the value {number(REPLACED)}: {said}."
        " An output that is earlier than the replaced word and moves is a leak.",
    )


def _row(canvas: Canvas, y: float, name: str, words: tuple[str, ...], lit: int = -1) -> None:
    canvas.note(4, y + 5, name)
    for i, (x, word) in enumerate(zip(COLUMNS, words, strict=True)):
        canvas.token(x, y, word, 66, "lit" if i == lit else "")


def _values(canvas: Canvas, y: float, name: str, values: "tuple[float, ...] | np.ndarray", role: str = "") -> None:
    canvas.note(4, y + 5, name)
    for x, value in zip(COLUMNS, values, strict=True):
        canvas.vector(x, y, [float(value)], role, top=REPLACED, cell=WIDE)


def _list(values: "tuple[float, ...] | np.ndarray") -> str:
    return ", ".join(number(float(value)) for value in values)
