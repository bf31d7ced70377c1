"""Two maps of one translation: the source words that are favorites, and those that the target words need."""

from dataclasses import dataclass
from typing import Any

from linebyline.corpora import ENGLISH_SWEDISH

from .aligned import SENTENCE
from .kit import CELL, SMALL, STYLE, WIDTH, Canvas, Drawing

# Where not all four heads look at the same word: for the place of a target word, source words and the heads' numbers.
LOOKS = {0: {0: "124", 1: "3"}, 5: {6: "2", 7: "14", 8: "3"}, 7: {6: "2", 8: "134"}}
# What is left of a word's probability without a source word: the needed ones first, and then those below 0.85.
NEEDED = {(1, 1): 0.0, (2, 5): 0.0, (3, 2): 0.0, (4, 4): 0.0, (6, 7): 0.0, (8, 9): 0.03}
NEEDED |= {(7, 6): 0.01, (7, 8): 0.0}
LESS = {(0, 0): 0.28, (5, 6): 0.65, (5, 7): 0.77, (5, 8): 0.54}
LEFT, TOP, WIDE = 78, 102, 30.7  # of the cells, and the width of one


def heads_that_look() -> dict[tuple[int, int], str]:
    """Return for places of a target and a source word the numbers of the heads that look there, or "all".

    Example:
        >>> [word for place, word in heads_that_look().items() if place[0] in (2, 5)]
        ['all', '2', '14', '3']
    """
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    looks = {(t, links[-1]): "all" for t, links in enumerate(pair.alignment) if t not in LOOKS}
    return looks | {(t, s): heads for t, row in LOOKS.items() for s, heads in row.items()}


@dataclass(frozen=True)
class SideBySide:
    """Two drawings beside each other where there is room, or else one below the other."""

    first: Drawing
    second: Drawing

    def _repr_mimebundle_(self, **unused: object) -> dict[str, object]:
        style = STYLE.read_text(encoding="utf-8")
        parts = "".join(
            f'<div style="flex:1 1 13rem;max-width:28rem;min-width:0">{drawing.svg(style)}</div>'
            for drawing in (self.first, self.second)
        )
        row = f'<div style="display:flex;flex-wrap:wrap;justify-content:center;gap:1rem">{parts}</div>'
        return {"image/svg+xml": row, "text/plain": f"{self.first!r}\n{self.second!r}"}


def favorites() -> Drawing:
    """Draw which heads have which favorite for each target word, with the true links outlined."""
    looks = heads_that_look()
    apart = {
        at: heads if heads == "all" else ("\u200a" if len(heads) > 2 else "\u2009").join(heads)
        for at, heads in looks.items()
    }
    keys = {"linked": 0.0, "favorite": 0.15}
    return _map(
        "Which heads look here most", apart, dict.fromkeys(looks, 0.15), keys, "the heads whose favorite it is", looks
    )


def rows_needed() -> Drawing:
    """Draw what is left of each target word without a row, with the true links outlined."""
    left = {cell: f"{p:.2f}"[1:] for cell, p in (NEEDED | LESS).items()}
    shades = dict.fromkeys(NEEDED, 0.4) | dict.fromkeys(LESS, 0.15)
    keys = {"linked": 0.0, "needed": 0.4, "still first": 0.15}
    return _map(
        "What is left without the row", left, shades, keys, "the probability that is left without the row", left
    )


def _map(
    title: str,
    cells: dict[tuple[int, int], str],
    shades: dict[tuple[int, int], float],
    key: dict[str, float],
    what: str,
    said: dict[tuple[int, int], str],
) -> Drawing:
    """Draw a grid with what its cells hold, the words of the sentence at its edges, and a key."""
    pair = ENGLISH_SWEDISH.translate(SENTENCE)
    source, target = pair.source[:-1], pair.target[:-1]  # without the full stops
    canvas = Canvas(TOP + len(target) * CELL + 6)
    canvas.text(4, 16, title, "bold", "start")
    for n, (name, strength) in enumerate(key.items()):
        y = 34.0 + 22 * n
        box: dict[str, Any] = {"x": 3, "y": y, "width": 13, "height": 13}
        if strength:
            canvas.add("rect", **box, class_="cell weight", fill_opacity=strength)
        else:
            canvas.add("rect", **box, class_="empty query", style="stroke-width:2")
        canvas.note(21, y + 11, name, "")
    for s, word in enumerate(source):
        x, y = LEFT + (s + 0.5) * WIDE + 4, TOP - 6
        turned: dict[str, Any] = {
            "text_anchor": "start",
            "transform": f"rotate(-90 {x} {y})",
            "style": f"font-size:{SMALL}px",
        }
        canvas.add("text", word, x=x, y=y, **turned)
    for t, word in enumerate(target):
        canvas.note(LEFT - 4, TOP + t * CELL + 18, word, "bold" if word == "den" else "", "end")
        for s in range(len(source)):
            place: dict[str, Any] = {"x": LEFT + s * WIDE, "y": TOP + t * CELL, "width": WIDE, "height": CELL}
            strength = shades.get((t, s), 0)
            edge = "" if strength else "stroke-opacity:0.3"
            canvas.add("rect", **place, class_="cell weight", fill_opacity=strength, style=edge)
    band: dict[str, Any] = {"x": 2, "y": TOP + target.index("den") * CELL - 2, "width": WIDTH - 4, "height": CELL + 4}
    for t, links in enumerate(pair.alignment[:-1]):
        for s in links:
            x, y = LEFT + s * WIDE + 0.5, TOP + t * CELL + 0.5
            canvas.add("rect", x=x, y=y, width=WIDE - 1, height=CELL - 1, class_="empty query", style="stroke-width:2")
    canvas.add("rect", **band, rx=4, class_="empty neutral", style="stroke-width:2.5")
    for (t, s), words in cells.items():
        if t < len(target):
            canvas.text(LEFT + (s + 0.5) * WIDE, TOP + t * CELL + 18, words, size=SMALL)
    spoken = "; ".join(f"{target[t]}, {source[s]}: {w}" for (t, s), w in said.items() if t < len(target))
    return canvas.finish(
        title,
        f"A grid with a row for each word of '{' '.join(target)}' and a column for each word of '{' '.join(source)}',"
        f" where the true links are outlined. Its cells hold {what}: {spoken}.",
    )
