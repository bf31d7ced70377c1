"""The cuts of a word: as a list, as paths from left to right with the best one, and as all paths through one piece."""

from math import prod

from .kit import Canvas, Drawing

WORD = "dreams"
PIECES = dict.fromkeys(WORD, 0.02) | {"dream": 0.01, "dre": 0.06, "am": 0.1, "ams": 0.03}
LEFT, STEP, Y = 26, 51, 172  # pixels: the first border between letters, the next one, and the height of the borders
HEIGHTS = {"dream": 140, "dre": 78, "am": 66, "ams": 108}  # of the arcs; those of single letters have LOW
LOW = 24
INSIDE = {"am": 32, "dre": 50}  # heights of the words of arcs that have them on the inner side


def all_cuts(word: str = WORD) -> dict[tuple[str, ...], float]:
    """Return all cuts of a word and their probabilities, the most probable first.

    Example:
        >>> {"|".join(cut): round(p, 6) for cut, p in all_cuts("dre").items()}
        {'dre': 0.06, 'd|r|e': 8e-06}
    """

    def listed(rest: str) -> list[tuple[str, ...]]:
        ends = [t for t in range(1, len(rest) + 1) if rest[:t] in PIECES]
        return [(rest[:t], *cut) for t in ends for cut in listed(rest[t:])] if rest else [()]

    found = {cut: prod(PIECES[v] for v in cut) for cut in listed(word)}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def best_cuts(word: str = WORD) -> list[tuple[float, int]]:
    """For each beginning of a word, the probability of its best cut, and where the last piece of that cut begins."""
    best = [(1.0, 0)]
    for t in range(1, len(word) + 1):
        best.append(max((best[s][0] * PIECES[word[s:t]], s) for s in range(t) if word[s:t] in PIECES))
    return best


def word_cuts() -> Drawing:
    """Draw all cuts of *dreams*, each with its fraction of their sum."""
    found = all_cuts()
    total, canvas, said = sum(found.values()), Canvas(32 + 34 * len(found)), []
    canvas.note(4, 16, "a cut of dreams", "bold")
    canvas.note(192, 16, "its fraction of the sum", "bold")
    for i, (cut, p) in enumerate(found.items()):
        x, y, fraction = 4.0, 44 + 34 * i, p / total
        for piece in cut:
            width = 9 * len(piece) + 15
            canvas.token(x + width / 2, y, piece, width)
            x += width + 3
        canvas.gauge(238, y, fraction, 92)
        percent = 100 * fraction
        words = f"{percent:.1f} %" if percent > 1 else f"{percent:.2f} %" if percent > 0.01 else "< 0.01 %"
        canvas.note(292, y + 5, words, "")
        said.append(f"{'|'.join(cut)} {words}")
    return canvas.finish(
        "The seven cuts of dreams",
        f"Each cut is a row of pieces, with a bar for its fraction of the sum of all cuts: {', '.join(said)}.",
    )


def lattice() -> Drawing:
    """Draw the pieces of *dreams* as arcs, and below each border the best cut that ends there."""
    canvas, best = Canvas(Y + 102), best_cuts()
    on_best, t = set[tuple[int, int]](), len(WORD)
    while t:
        on_best.add((best[t][1], t))
        t = best[t][1]
    for piece, p in PIECES.items():
        s = WORD.index(piece)
        t, height = s + len(piece), HEIGHTS.get(piece, LOW)
        x0, x1 = LEFT + STEP * s, LEFT + STEP * t
        wins = best[t][1] == s
        style = f"stroke-width:{4 if (s, t) in on_best else 1.5};fill:none" + ("" if wins else ";stroke-dasharray:4 4")
        path = f"M{x0} {Y}Q{(x0 + x1) / 2} {Y - 2 * height} {x1} {Y}"
        canvas.add("path", d=path, class_="line weight" if (s, t) in on_best else "line", style=style)
        if len(piece) == 1:
            canvas.text((x0 + x1) / 2, Y - 4, piece, "bold")
        else:
            canvas.text((x0 + x1) / 2, Y - INSIDE.get(piece, height + 7), f"{piece} {p}", size=14)
    for t in range(len(WORD) + 1):
        x = LEFT + STEP * t
        canvas.add("circle", cx=x, cy=Y, r=5, class_="filled weight" if t in sum(on_best, ()) else "filled")
        canvas.text(x, Y + 26, f"{best[t][0]:.2g}", "bold" if t in sum(on_best, ()) else "", size=13)
    canvas.note(8, Y + 52, "Below a point: the best path that ends there.")
    canvas.note(8, Y + 72, "Dashed: a piece that loses at its end point.")
    canvas.note(8, Y + 92, "Each single letter has 0.02.")
    said = ", ".join(f"{WORD[:t]} {best[t][0]:.2g}" for t in range(1, len(WORD) + 1))
    lost = ", ".join(v for v in PIECES if best[WORD.index(v) + len(v)][1] != WORD.index(v))
    return canvas.finish(
        "The cuts of dreams as paths",
        "Seven points, the borders of the letters of dreams, joined by arcs for the pieces: dre 0.06, dream 0.01, am"
        f" 0.1, ams 0.03, and single letters 0.02. The best cut up to each point has the probability: {said}. The arcs"
        f" of {lost} are dashed, because another piece wins at their end. The best path is dre, ams.",
    )


def paths_through() -> Drawing:
    """Draw the sums of all paths before and after the piece *am* of *dreams*, and their product."""
    before, after = all_cuts("dre"), all_cuts("s")
    first, middle, last = sum(before.values()), PIECES["am"], sum(after.values())
    through, total = first * middle * last, sum(all_cuts().values())
    canvas, y = Canvas(252), 60
    canvas.note(71, 16, "all paths to am", "bold", "middle")
    canvas.note(204, 16, "am", "bold", "middle")
    canvas.note(306, 16, "paths after it", "bold", "middle")
    for cut in before:
        x = 71 - (sum(9 * len(v) + 15 for v in cut) + 3 * len(cut) - 3) / 2
        for piece in cut:
            width = 9 * len(piece) + 15
            canvas.token(x + width / 2, y - 14, piece, width)
            x += width + 3
        canvas.note(71, y + 18, f"{before[cut]:.6f}".rstrip("0"), "", "middle")
        y += 60
    canvas.token(204, 76, "am", 44, "lit")
    canvas.token(306, 76, "s", 28)
    for at, value in ((71, f"{first:.6f}"), (138, "×"), (204, f"{middle:g}"), (255, "×"), (306, f"{last:g}")):
        canvas.text(at, 176, value, "bold")
    canvas.line((4, 186), (356, 186), arrow=False)
    canvas.text(4, 210, f"= {through:.5f}, all paths through am", "", "start")
    canvas.text(4, 236, f"÷ {total:.5f}, all paths: am counts {through / total:.3f}", "", "start")
    return canvas.finish(
        "All paths of dreams through am",
        f"Before am there are two paths, dre with 0.06 and d, r, e with 0.000008, together {first:.6f}. The piece am"
        f" has {middle:g}, and after it there is only s with {last:g}. Their product is {through:.5f};"
        f" divided by the sum of all paths, {total:.5f}, it is {through / total:.3f}.",
    )
