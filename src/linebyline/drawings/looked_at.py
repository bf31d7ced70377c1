"""Two maps of one translation: which source words the heads look at, and which of them the target words need."""

from typing import Any

from linebyline.corpora import ENGLISH_SWEDISH

from .aligned import SENTENCE
from .kit import CELL, SMALL, Canvas, Drawing

# Where not all four heads look at the same word: for the place of a target word, source words and the heads' numbers.
LOOKS = {0: {0: "124", 1: "3"}, 5: {6: "2", 7: "14", 8: "3"}, 7: {6: "2", 8: "134"}}
# What is left of a word's probability without a source word: the needed ones first, and then those below 0.85.
NEEDED = {(1, 1): 0.0, (2, 5): 0.0, (3, 2): 0.0, (4, 4): 0.0, (6, 7): 0.0, (8, 9): 0.03}
NEEDED |= {(7, 6): 0.01, (7, 8): 0.0}
LESS = {(0, 0): 0.28, (5, 6): 0.65, (5, 7): 0.77, (5, 8): 0.54}
LEFT, TOP, WIDE, PANEL = 81, 102, 27.8, 358  # of the first map, the width of a cell, and from one map to the next


def heads_that_look() -> dict[tuple[int, int], str]:
    """Return for places of a target and a source word the numbers of the heads that look there, or "all".

    Example:
        >>> [word for place, word in heads_that_look().items() if place[0] in (2, 5)]
        ['all', '2', '14', '3']
    """
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    looks = {(t, links[-1]): "all" for t, links in enumerate(pair.alignment) if t not in LOOKS}
    return looks | {(t, s): heads for t, row in LOOKS.items() for s, heads in row.items()}


def looked_at() -> Drawing:
    """Draw both maps below each other, with the true links outlined."""
    pair, looks = ENGLISH_SWEDISH.translate(SENTENCE), heads_that_look()
    canvas = Canvas(2 * PANEL - 12)
    apart = {at: heads if heads == "all" else "\u2009".join(heads) for at, heads in looks.items()}
    _map(canvas, 0, "Which heads look where", apart, dict.fromkeys(looks, 0.15), {"looked at": 0.15})
    left = {cell: f"{p:.2f}"[1:] for cell, p in (NEEDED | LESS).items()}
    shades = dict.fromkeys(NEEDED, 0.55) | dict.fromkeys(LESS, 0.15)
    _map(canvas, PANEL, "Which rows are needed, and what is left", left, shades, {"needed": 0.55, "helps": 0.15})
    said = ["; ".join(f"{pair.target[t]}, {pair.source[s]}: {w}" for (t, s), w in c.items()) for c in (looks, left)]
    return canvas.finish(
        "Where the heads look, and what is needed",
        f"Two grids with a row for each word of '{' '.join(pair.target)}' and a column for each word of '{SENTENCE}'"
        f" Above, the numbers of the heads of block 2 that look most at the source word: {said[0]}. Below, the"
        f" probability that is left without it: {said[1]}. The {len(NEEDED)} with at most {max(NEEDED.values())} are"
        " needed; the others only help.",
    )


def _map(
    canvas: Canvas,
    top: float,
    title: str,
    cells: dict[tuple[int, int], str],
    shades: dict[tuple[int, int], float],
    key: dict[str, float],
) -> None:
    """Draw a grid with what its cells hold, the words of the sentence at its edges, and a key."""
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    canvas.text(4, top + 16, title, "bold", "start")
    for n, (name, strength) in enumerate([("linked", 0.0), *key.items()]):
        y = top + 34 + 22 * n
        box: dict[str, Any] = {"x": 3, "y": y, "width": 13, "height": 13}
        if strength:
            canvas.add("rect", **box, class_="cell weight", fill_opacity=strength)
        else:
            canvas.add("rect", **box, class_="empty query", style="stroke-width:2")
        canvas.note(21, y + 11, name, "")
    for s, word in enumerate(pair.source):
        x, y = LEFT + (s + 0.5) * WIDE + 4, top + TOP - 6
        turned: dict[str, Any] = {
            "text_anchor": "start",
            "transform": f"rotate(-90 {x} {y})",
            "style": f"font-size:{SMALL}px",
        }
        canvas.add("text", word, x=x, y=y, **turned)
    for t, word in enumerate(pair.target):
        canvas.note(LEFT - 6, top + TOP + t * CELL + 18, word, "bold" if word == "den" else "", "end")
        for s in range(len(pair.source)):
            place: dict[str, Any] = {"x": LEFT + s * WIDE, "y": top + TOP + t * CELL, "width": WIDE, "height": CELL}
            strength = shades.get((t, s), 0)
            edge = "" if strength else "stroke-opacity:0.3"
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength, style=edge)
    for t, links in enumerate(pair.alignment):
        for s in links:
            x, y = LEFT + s * WIDE + 0.5, top + TOP + t * CELL + 0.5
            canvas.add("rect", x=x, y=y, width=WIDE - 1, height=CELL - 1, class_="empty query", style="stroke-width:2")
    for (t, s), words in cells.items():
        canvas.text(LEFT + (s + 0.5) * WIDE, top + TOP + t * CELL + 18, words, size=12 if len(words) > 3 else SMALL)
