"""The cuts of a word: as a list, as paths from left to right with the best one, and as sums of paths."""

from collections.abc import Sequence
from math import prod

from .kit import Canvas, Drawing

WORD = "dreams"
PIECES = dict.fromkeys(WORD, 0.1) | {"dream": 0.0002, "dre": 0.004, "am": 0.03, "ams": 0.01}
LEFT, STEP, Y = 30, 49, 172  # pixels: the first point, the next one, and the height of the points
HEIGHTS = {"dream": 146, "dre": 74, "am": 80, "ams": 116}  # of the arcs; those of single letters have LOW
LOW = 21
INSIDE = {"am": 30, "dre": 44}  # heights of the words of arcs that have them on the inner side


def all_cuts(word: str = WORD) -> dict[tuple[str, ...], float]:
    """Return all cuts of a word and their probabilities, the most probable first.

    Example:
        >>> {"|".join(cut): round(p, 6) for cut, p in all_cuts("dre").items()}
        {'dre': 0.004, 'd|r|e': 0.001}
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
    for left, words in ((4, "a cut of dreams"), (146, "product"), (218, "fraction")):
        canvas.note(left, 16, words, "bold")
    for i, (cut, p) in enumerate(found.items()):
        x, y, fraction = 4.0, 44 + 34 * i, p / total
        for piece in cut:
            width = 9 * len(piece) + 12
            canvas.token(x + width / 2, y, piece, width)
            x += width + 2
        number = _short(p)
        canvas.note(146, y + 5, number, "")
        canvas.gauge(253, y, fraction, 70)
        percent = 100 * fraction
        words = f"{percent:.1f} %"
        canvas.note(293, y + 5, words, "")
        said.append(f"{'|'.join(cut)} {number}, {words}")
    return canvas.finish(
        "The seven cuts of dreams",
        "Each cut is a row of pieces, with the product of their probabilities and a bar for its fraction of the sum of"
        f" all cuts: {'; '.join(said)}.",
    )


def path_sums(word: str = WORD) -> tuple[list[float], list[float]]:
    """For each point of a word, the sums of all paths to it from the beginning, and from it to the end.

    Example:
        >>> before, after = path_sums()
        >>> round(before[3], 6), round(after[3], 6), round(before[6], 5) == round(after[0], 5)
        (0.005, 0.014, True)
    """
    ends = range(len(word) + 1)
    return [sum(all_cuts(word[:t]).values()) for t in ends], [sum(all_cuts(word[t:]).values()) for t in ends]


def _paths(
    canvas: Canvas, thick: set[tuple[int, int]], dashed: set[tuple[int, int]], faint: Sequence[str] = ()
) -> None:
    """Draw the pieces of *dreams* as arcs between numbered points, some of them faint."""
    for piece, p in PIECES.items():
        s = WORD.index(piece)
        t, height = s + len(piece), HEIGHTS.get(piece, LOW)
        x0, x1 = LEFT + STEP * s, LEFT + STEP * t
        style = f"stroke-width:{4 if (s, t) in thick else 1.5};fill:none"
        style += ";stroke-dasharray:4 4" if (s, t) in dashed else ""
        style += ";opacity:0.35" if piece in faint else ""
        path = f"M{x0} {Y}Q{(x0 + x1) / 2} {Y - 2 * height} {x1} {Y}"
        canvas.add("path", d=path, class_="line weight" if (s, t) in thick else "line", style=style)
        if len(piece) == 1:
            canvas.text((x0 + x1) / 2, Y - 4, piece, "bold")
        else:
            at, size = ((x0 + x1) / 2 - 2.5, 13) if piece == "am" else ((x0 + x1) / 2, 14)  # between two other arcs
            canvas.text(at, Y - INSIDE.get(piece, height + 7), f"{piece} {p}", size=size)
    for t in range(len(WORD) + 1):
        canvas.add("circle", cx=LEFT + STEP * t, cy=Y, r=9, class_="token")
        canvas.note(LEFT + STEP * t, Y + 5, str(t), "", "middle")


def _numbers(canvas: Canvas, y: float, values: list[str], bold: set[int]) -> None:
    """Write a number below each point; those of odd points are lower, so that neighbors do not touch."""
    for t, value in enumerate(values):
        canvas.note(LEFT + STEP * t, y + 17 * (t % 2), value, "bold" if t in bold else "", "middle")


def lattice() -> Drawing:
    """Draw the pieces of *dreams* as arcs, and below each point the best cut that ends there."""
    canvas, best = Canvas(Y + 130), best_cuts()
    on_best, t = set[tuple[int, int]](), len(WORD)
    while t:
        on_best.add((best[t][1], t))
        t = best[t][1]
    arcs = {(WORD.index(v), WORD.index(v) + len(v)) for v in PIECES}
    _paths(canvas, on_best, {(s, t) for s, t in arcs if best[t][1] != s})
    _numbers(canvas, Y + 32, [_short(p) for p, _ in best], set(sum(on_best, ())))
    canvas.note(8, Y + 78, "candidates that lose:")
    losers = dict[int, list[str]]()
    for s, t in sorted(arcs):
        if best[t][1] != s:
            losers.setdefault(t, []).append(f"{WORD[s:t]} {_short(best[s][0] * PIECES[WORD[s:t]])}")
    lines = [f"point {t}: {', '.join(losers[t])}" for t in sorted(losers)]
    for i, line in enumerate(lines):
        canvas.note(150, Y + 78 + 21 * i, line)
    said = ", ".join(f"{WORD[:t]} {_short(best[t][0])}" for t in range(1, len(WORD) + 1))
    lost = ", ".join(v for v in PIECES if best[WORD.index(v) + len(v)][1] != WORD.index(v))
    return canvas.finish(
        "The cuts of dreams as paths",
        "Seven points, numbered from 0 to 6, before, between and after the letters of dreams, joined by arcs for the"
        " pieces: dre 0.004, dream 0.0002, am 0.03, ams 0.01, and single letters 0.1. The best cut up to each point has"
        f" the probability: {said}. The arcs of {lost} are dashed, because another piece wins at their end:"
        f" {'; '.join(lines)}. The best path is dre, ams.",
    )


def paths_through() -> Drawing:
    """Draw the sums of all paths to and from each point of *dreams*, and what they say about the piece *am*."""
    canvas, (before, after), middle = Canvas(Y + 226), path_sums(), PIECES["am"]
    _paths(canvas, {(3, 5)}, set(), ("a", "m", "ams", "dream"))
    canvas.note(8, Y + 36, "α_t, the sum of all paths from point 0 to point t")
    _numbers(canvas, Y + 56, [_short(x) for x in before], {3, 6})
    canvas.note(8, Y + 101, "β_t, the sum of all paths from point t to point 6")
    _numbers(canvas, Y + 121, [_short(x) for x in after], {5})
    canvas.line((8, Y + 154), (352, Y + 154), arrow=False)
    through, total = before[3] * middle * after[5], before[6]
    product = f"{_short(before[3])} × {middle:g} × {_short(after[5])} = {_short(through)}"
    canvas.text(8, Y + 182, f"{product} through am", "", "start", 14)
    canvas.text(
        8, Y + 210, f"expected count: {_short(through)} / {_short(total)} = {through / total:.3f}", "bold", "start", 14
    )
    rows = [", ".join(f"point {t} {_short(x)}" for t, x in enumerate(sums)) for sums in (before, after)]
    return canvas.finish(
        "All paths of dreams through am",
        "The paths of dreams, with the arc of am from point 3 to point 5; arcs that no path through am uses are"
        f" faint. Sums of all paths to a point: {rows[0]}."
        f" Sums of all paths from a point to the end: {rows[1]}. All paths through am have {product};"
        f" divided by the sum of all paths, {_short(total)}, it is {through / total:.3f}.",
    )


def _short(value: float) -> str:
    """Return a small number in decimals, without trailing zeros.

    Example:
        >>> [_short(x) for x in (1, 0.1, 0.00012)]
        ['1', '0.1', '0.00012']
    """
    return f"{value:.6f}".rstrip("0").rstrip(".")
