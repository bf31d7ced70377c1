"""All cuts of a word as paths from left to right, and the best one, found letter by letter."""

from .kit import Canvas, Drawing

WORD = "dreams"
PIECES = dict.fromkeys(WORD, 0.02) | {"dream": 0.01, "dre": 0.06, "am": 0.1, "ams": 0.03}
LEFT, STEP, Y = 26, 51, 140  # pixels: the first border between letters, the next one, and the height of the borders
HEIGHTS = {"dre": -66, "dream": -112, "am": 46, "ams": 92}  # of the arcs, negative above
INSIDE = {"dre": -34, "am": 19}  # heights of the words of arcs that have them on the inner side


def best_cuts(word: str = WORD) -> list[tuple[float, int]]:
    """For each beginning of a word, the probability of its best cut, and where the last piece of that cut begins."""
    best = [(1.0, 0)]
    for t in range(1, len(word) + 1):
        best.append(max((best[s][0] * PIECES[word[s:t]], s) for s in range(t) if word[s:t] in PIECES))
    return best


def lattice() -> Drawing:
    """Draw the pieces of *dreams* as arcs, and below each border the best cut that ends there."""
    canvas, best = Canvas(318), best_cuts()
    on_best, t = set[tuple[int, int]](), len(WORD)
    while t:
        on_best.add((best[t][1], t))
        t = best[t][1]
    for piece, height in HEIGHTS.items():
        s = WORD.index(piece)
        t = s + len(piece)
        x0, x1 = LEFT + STEP * s, LEFT + STEP * t
        kind = "line weight" if (s, t) in on_best else "line"
        path = f"M{x0} {Y}Q{(x0 + x1) / 2} {Y + 2 * height} {x1} {Y}"
        canvas.add("path", d=path, class_=kind, style=f"stroke-width:{4 if (s, t) in on_best else 1.5};fill:none")
        y = INSIDE.get(piece, height + (17 if height > 0 else -7))
        canvas.text((x0 + x1) / 2, Y + y, f"{piece} {PIECES[piece]}", size=14)
    for s, letter in enumerate(WORD):
        x = LEFT + STEP * s
        canvas.line((x, Y), (x + STEP, Y), arrow=False)
        canvas.text(x + STEP / 2, Y - 8, letter, "bold")
    for t in range(len(WORD) + 1):
        canvas.add("circle", cx=LEFT + STEP * t, cy=Y, r=5, class_="filled weight" if t in sum(on_best, ()) else "off")
        canvas.text(LEFT + STEP * t, Y + 134, f"{best[t][0]:.2g}".replace("e-0", "e-"), size=13)
    canvas.note(8, Y + 154, "These numbers: the best cut up to each point.")
    canvas.note(8, Y + 172, "Each single letter has 0.02.")
    said = ", ".join(f"{WORD[:t]} {best[t][0]:.2g}" for t in range(1, len(WORD) + 1))
    return canvas.finish(
        "The cuts of dreams as paths",
        "Seven borders between the letters of dreams, joined by arcs for the pieces: dre 0.06, dream 0.01, am 0.1, ams"
        f" 0.03, and single letters 0.02. The best cut up to each border has the probability: {said}. The best path"
        " is dre, ams.",
    )
