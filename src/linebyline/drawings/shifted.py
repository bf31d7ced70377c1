"""Inputs and targets of a language model: the same text, shifted by one."""

from collections.abc import Sequence
from itertools import pairwise

from .kit import Canvas, Drawing

TEXT = ("<sos>", "Dan", "loves", "ice", "cream", "<eos>")
STEP, FIRST = 71, 38  # from one token to the next, and the middle of the first
LIT = 3  # the column that is followed: its input and its target


def pairs(text: Sequence[str] = TEXT) -> list[tuple[str, str]]:
    """Return each input with its target: the token that follows it."""
    return list(pairwise(text))


def shifted(text: Sequence[str] = TEXT, lit: int = LIT) -> Drawing:
    """Draw which input predicts which target, and what would happen without the shift; one column is lit."""
    asked = pairs(text)
    canvas = Canvas(438)
    canvas.text(4, 18, "Shifted by one", "bold", "start")
    canvas.note(4, 42, "inputs: the text without its last token")
    for t in range(1, len(asked)):  # the token that is a target here is the next input
        canvas.line((FIRST + t * STEP - 9, 80), (FIRST + (t - 1) * STEP + 14, 133), kind="off", arrow=False)
    _rows(canvas, 66, asked, lit=lit)
    canvas.note(4, 182, "targets: the text without its first token")
    canvas.line((4, 203), (34, 203))
    canvas.note(40, 208, "predicts", "")
    canvas.line((124, 203), (154, 203), kind="off", arrow=False)
    canvas.note(160, 208, "the same token", "")
    canvas.note(4, 232, f"{asked[lit][1]} is predicted from: {' '.join(text[: lit + 1])}", "")

    canvas.text(4, 278, "Not shifted", "bold", "start")
    for t in range(len(asked)):
        canvas.line((FIRST + t * STEP + 9, 318), (FIRST + t * STEP + 9, 370), kind="off", arrow=False)
    _rows(canvas, 304, [(target, target) for _, target in asked])
    canvas.note(4, 424, "Each input is its own answer: copying is enough.", "")
    said = "; ".join(f"{read} predicts {target}" for read, target in asked)
    return canvas.finish(
        "Inputs and targets, shifted by one",
        f"The text is {' '.join(text)}. The inputs are all tokens but the last, the targets all but the first, so that"
        f" each position has to name the token that follows: {said}. A prediction may use all inputs up to its own"
        f" position: {asked[lit][1]} is predicted from {' '.join(text[: lit + 1])}. Without the shift, each input is"
        " its own target, and copying is enough.",
    )


def _rows(canvas: Canvas, y: float, columns: list[tuple[str, str]], lit: int = -1) -> None:
    """Draw inputs, each with an arrow to its target below; the column ``lit`` stands out."""
    for t, (read, target) in enumerate(columns):
        x, kind = FIRST + t * STEP, "lit" if t == lit else ""
        canvas.token(x, y, read, 66, kind)
        canvas.line((x, y + 14), (x, y + 66), width=3 if kind else 0)
        canvas.token(x, y + 82, target, 66, kind)
