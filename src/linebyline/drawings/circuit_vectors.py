"""The vectors of the induction circuit: fourteen features in four groups, and which layer fills them."""

import numpy as np

from .induction import WORDS
from .kit import CELL, SMALL, Canvas, Drawing

NAMES = ("ice", "cream", "tea")  # a feature each
FIRST, STEP, GAP = 74, 18, 8  # where the cells begin, their width, and the space between two groups
GROUPS = {"position": 5, "word": 3, "mark": 3, "guess": 3}
ROLES = {"position": "", "word": "", "mark": "value", "guess": "value"}
TOP = 110  # of the first row
POSITION = np.eye(len(WORDS))  # (T, 5)
WORD = np.array([[float(word == name) for name in NAMES] for word in WORDS])  # (T, 3)
MARK = np.eye(len(WORDS))[[0, 0, 1, 2, 3]] @ WORD  # (T, 3): the weights of layer 1 are one place back
GUESS = WORD[2]  # what layer 2 adds at the last word


def circuit_vectors() -> Drawing:
    """Draw the five vectors after layer 1, and the last one after layer 2."""
    canvas = Canvas(TOP + 7 * CELL + 20)
    _headings(canvas)
    for i, words in enumerate(("after", "layer 1:")):
        canvas.note(2, TOP - 26 + 18 * i, words)
    for t, word in enumerate(WORDS):
        _row(canvas, TOP + (t + 0.5) * CELL, f"{t}  {word}", t, np.zeros(3))
    last = TOP + 6.5 * CELL + 12
    canvas.note(2, last - CELL / 2 - 8, "after layer 2:")
    _row(canvas, last, f"{len(WORDS) - 1}  {WORDS[-1]}", len(WORDS) - 1, GUESS)
    mark, guess = (FIRST + start * STEP + gaps * GAP for start, gaps in ((8, 2), (11, 3)))
    for x, y in ((mark, TOP + 2.5 * CELL), (guess, last)):  # the mark of cream, and the guess
        canvas.frame(x - 4, y - CELL / 2 - 4, 3 * STEP + 8, CELL + 8)
    return canvas.finish(
        "The vectors of the induction circuit",
        "A table with a row for each word of 'start ice cream tea ice' and fourteen columns in four groups: five for"
        " the position, three for the word itself, three for the mark, which word came before, and three for the guess."
        " The tables fill the first two groups, layer 1 the mark and layer 2 the guess. At cream the position is"
        f" {_said(POSITION[2])}, the word {_said(WORD[2])} and the mark {_said(MARK[2])}, after ice."
        f" After layer 2 the last ice has the guess {_said(GUESS)}, cream.",
    )


def _headings(canvas: Canvas) -> None:
    """Write above each group its name and what fills it, and above each feature what a 1 in it means."""
    canvas.note(2, 36, "filled by")
    x: float = FIRST
    for name, size in GROUPS.items():
        filled = {"mark": "layer 1", "guess": "layer 2"}.get(name, "tables")
        canvas.note(x + size * STEP / 2, 18, name, "bold", "middle")
        canvas.note(x + size * STEP / 2, 36, filled, anchor="middle")
        for i in range(size):
            at = x + (i + 0.5) * STEP
            if name == "position":
                canvas.note(at, TOP - 8, str(i), anchor="middle")
                continue
            turned = f"rotate(90 {at - 4} {TOP - 6})"
            about = {"class_": "quiet", "text_anchor": "end", "transform": turned, "style": f"font-size:{SMALL}px"}
            canvas.add("text", NAMES[i], x=at - 4, y=TOP - 6, **about)
        x += size * STEP + GAP


def _row(canvas: Canvas, y: float, name: str, t: int, guess: np.ndarray) -> None:
    """Draw the vector at position ``t``, group by group."""
    canvas.note(2, y + 5, name, "")
    x: float = FIRST
    for (group, size), numbers in zip(GROUPS.items(), (POSITION[t], WORD[t], MARK[t], guess), strict=True):
        canvas.vector(x + size * STEP / 2, y, numbers.tolist(), ROLES[group], top=1, cell=STEP)
        x += size * STEP + GAP


def _said(numbers: np.ndarray) -> str:
    """Return a vector in words."""
    return f"({', '.join(f'{number:.0f}' for number in numbers)})"
