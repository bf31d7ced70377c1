"""The logit lens on a sentence: a row for each token, a column for each state, and the guess of each state."""

import html
from typing import Any

from .kit import CELL, Canvas, Drawing

READ = ("Returns", "the", "s", "um", "of", "the", "array", "elements", "over", "a", "given", "axis", ".")
# Of the language model of the course: after 0, 1, ... blocks its first choice, and the percentage that this gets.
SAID = (
    (("Returns", 100), ("'", 9), ("the", 47), ("the", 31), ("↵", 60)),
    (("the", 100), ("␣", 14), ("␣", 9), ("result", 11), ("␣", 11)),
    (("s", 100), ("um", 19), ("um", 33), ("um", 37), ("um", 37)),
    (("um", 100), ("ents", 40), ("t", 20), ("s", 30), ("of", 79)),
    (("of", 100), ("f", 49), ("the", 24), ("the", 61), ("s", 76)),
    (("the", 100), ("y", 13), ("t", 10), ("same", 7), ("s", 15)),
    (("array", 100), ("_", 86), ("[", 24), ("elements", 14), ("elements", 65)),
    (("elements", 100), ("age", 14), ("over", 13), ("along", 19), ("along", 20)),
    (("over", 100), ("f", 41), ("a", 11), ("the", 56), ("the", 54)),
    (("a", 100), ("s", 11), ("s", 9), ("given", 68), ("given", 64)),
    (("given", 100), ("by", 34), ("by", 41), ("axis", 47), ("axis", 85)),
    (("axis", 100), ("(", 40), ("(", 19), ("(", 17), (".", 73)),
)
LEFT, TOP = 70, 62  # where the grid begins
EDGES = (70, 138, 180, 222, 290, 358)  # of its columns


def hits() -> list[tuple[int, int]]:
    """Return the cells, row and column, in which the guess is the token that really comes next."""
    return [(t, n) for t, row in enumerate(SAID) for n, (word, _) in enumerate(row) if word == READ[t + 1]]


def lens_grid() -> Drawing:
    """Draw the guess of each state of each token; a guess that comes true has a thick edge."""
    canvas, right = Canvas(TOP + len(SAID) * CELL + 10), hits()
    canvas.note(LEFT - 6, 50, "token", "bold", "end")
    canvas.text((LEFT + EDGES[-1]) / 2, 20, "its guess after 0 to 4 blocks", "bold")
    for n in range(len(SAID[0])):
        canvas.note((EDGES[n] + EDGES[n + 1]) / 2, 50, str(n), "bold", "middle")
    for t, row in enumerate(SAID):
        y = TOP + t * CELL
        canvas.note(LEFT - 6, y + 18, READ[t], "", "end")
        for n, (word, share) in enumerate(row):
            x, wide = EDGES[n], EDGES[n + 1] - EDGES[n]
            strength = round(0.04 + 0.0056 * share, 2)
            canvas.add("rect", x=x, y=y, width=wide, height=CELL, class_="cell weight", fill_opacity=strength)
            at: dict[str, Any] = {"x": x + wide / 2, "y": y + 18, "text_anchor": "middle", "style": "font-size:13px"}
            canvas.add("text", html.escape(word), **at)  # an underscore is one of the words
    for t, n in right:
        wide = EDGES[n + 1] - EDGES[n]
        place: dict[str, Any] = {"x": EDGES[n] + 2, "y": TOP + t * CELL + 2, "width": wide - 4, "height": CELL - 4}
        canvas.add("rect", **place, rx=3, class_="empty query", style="stroke-width:2.5")
    said = "; ".join(f"{READ[t]}: {', '.join(word for word, _ in row[1:])}" for t, row in enumerate(SAID))
    return canvas.finish(
        "The logit lens on a sentence",
        f"A grid with a row for each token of '{' '.join(READ[:-1])}' and a column for the state after 0 to 4 blocks."
        " With no block the guess is always the token just read, with probability 1. After 1, 2, 3 and 4 blocks the"
        f" guesses are: {said}. In {len(right)} cells the guess is the token that really comes next.",
    )
