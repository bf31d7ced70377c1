"""Positions as clocks: hands that turn at different speeds, and their sines and cosines."""

import math

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing, number

RADIUS, SMALLER, CELL = 26, 18, 42
FACES = (80, 144)  # the centers of the fast and of the slow clock
CELLS = (225, 316)  # the centers of what they show
POSITIONS = 3


def one_hand(position: int = 2) -> Drawing:
    """Draw one large clock with the fast hand at a position, and how far its tip is to the right and up."""
    canvas, x, y, radius = Canvas(234), 180, 122, 92
    right, up = math.sin(position), math.cos(position)
    tip = x + radius * right, y - radius * up
    turned = f"M{x} {y}L{x} {y - radius}A{radius} {radius} 0 0 1 {tip[0]:.1f} {tip[1]:.1f}z"
    canvas.add("path", d=turned, class_="cell", fill_opacity=0.12)
    canvas.add("circle", cx=x, cy=y, r=radius, class_="empty")
    canvas.line((x - radius, y), (x + radius, y), arrow=False, width=1)
    canvas.line((x, y - radius), (x, y + radius), arrow=False, width=1)
    canvas.line((x, y), (tip[0], y), arrow=False, width=6)
    canvas.line((x, y), (x, tip[1]), kind="layer", arrow=False, width=6)
    for foot in ((tip[0], y), (x, tip[1])):
        canvas.add("path", d=f"M{tip[0]:.1f} {tip[1]:.1f}L{foot[0]:.1f} {foot[1]:.1f}", class_="off")
    canvas.line((x, y), (x + 0.97 * radius * right, y - 0.97 * radius * up), width=3)
    canvas.text(x, y - radius - 8, "position 0")
    canvas.note(x + 40, y - 44, f"angle {position}", "", "middle")
    canvas.text(tip[0] + 10, tip[1] + 20, f"position {position}", "bold", "start")
    canvas.text(x + radius + 10, y - 8, f"sin {position}", "bold", "start")
    canvas.text(x + radius + 10, y + 12, f"= {number(right)}", "bold", "start")
    canvas.text(x - 12, y + 22, f"cos {position}", "bold", "end")
    canvas.text(x - 12, y + 42, f"= {number(up)}", "bold", "end")
    return canvas.finish(
        "One hand, two numbers",
        f"A clock with the radius 1, whose hand has turned clockwise by the angle {position}, from straight up to its"
        f" place at position {position}. Dashed lines lead from its tip to the horizontal line through the center, at"
        f" {number(right)}, which is the sine, and to the vertical one, at {number(up)}, which is the cosine.",
    )


def clock_hands(base: float = 16.0) -> Drawing:
    """Draw positions 0, 1 and 2 as two clock hands each, with the numbers of ``sinusoidal_encoding``.

    The second hand is slower by the square root of ``base``; with the usual 10,000 it would hardly move.
    """
    speeds = 1.0, base**-0.5  # radians for each position
    encoding = F.sinusoidal_encoding(POSITIONS, 4, base)  # (3, 4)
    canvas = Canvas(334)
    canvas.note(2, 36, "position")
    for name, speed, face, cells in zip(("fast", "slow"), speeds, FACES, CELLS, strict=True):
        canvas.text(face, 18, name, "bold")
        canvas.note(face, 36, f"+ {number(speed)}", anchor="middle")
        canvas.text(cells, 18, name, "bold")
        for side, word in ((-CELL / 2, "sin"), (CELL / 2, "cos")):
            canvas.note(cells + side, 36, word, anchor="middle")
    for p, row in enumerate(encoding):
        y = 76 + 102 * p
        canvas.token(22, y, str(p), 38)
        canvas.note(22, y + RADIUS + 20, "angle", anchor="middle")
        for i, speed in enumerate(speeds):
            right, up = row[2 * i : 2 * i + 2]
            clock(canvas, FACES[i], y, row[2 * i : 2 * i + 2], p * speed)
            canvas.note(FACES[i], y + RADIUS + 20, number(p * speed), "", "middle")
            canvas.vector(CELLS[i], y, [right, up], top=1, cell=CELL)
    shown = "; ".join(
        f"position {p}: angles {number(p)} and {number(p * speeds[1])}, written as ({', '.join(map(number, row))})"
        for p, row in enumerate(encoding)
    )
    return canvas.finish(
        "Positions as clock hands",
        "Each position has a fast and a slow hand, which both point straight up at position 0 and turn clockwise. How"
        f" far a hand points to the right is the sine of its angle, how far up the cosine. {shown}.",
    )


def come_round(seen: int = 4, positions: int = 7, query: tuple[int, int] = (7, -1)) -> Drawing:
    """Draw a fast and a slow hand at the ``seen`` positions of a training run and beyond, and the scores of a query.

    The fast hand makes half a turn on the positions that are seen. The first number of the query is for its cosine,
    the second for the sine of the slow hand. Bars above their line are positive, those below it negative.
    """
    p = np.arange(positions)
    turned = [p * math.pi / (seen - 1), p * 0.1]  # (positions,) each
    features = np.round([np.cos(turned[0]), np.sin(turned[1])], 1)  # (2, positions), as they are shown
    scores = query @ features  # (positions,)
    total = f"score: {query[0]} × cosine − {f'{-query[1]} × ' * (query[1] != -1)}sine"
    canvas, places = Canvas(438), [28 + 50 * each + 4 * (each >= seen) for each in range(positions)]
    canvas.frame(2, 24, 50 * seen + 1, 410)
    canvas.note(2 + 25 * seen, 16, "training range", anchor="middle")
    canvas.note((places[seen] + places[-1]) / 2, 16, "new", anchor="middle")
    for k, x in enumerate(places):
        canvas.token(x, 46, str(k), 40, "" if k < seen else "lit")
    for y, words, zero in ((80, "fast hand: its cosine", 170), (236, "slow hand: its sine", 314), (346, total, 390)):
        canvas.note(10, y, words, "bold")
        canvas.line((6, zero), (places[-1] + 22, zero), arrow=False, width=1)
    for angle, shown, y, zero in zip(turned, features, (108, 264), (170, 314), strict=True):
        for x, each in zip(places, angle, strict=True):
            clock(canvas, x, y, np.array([np.sin(each), np.cos(each)]), each, SMALLER)
        bars(canvas, places, shown, zero)
    top, wrong = float(np.abs(scores).max()), bool(scores[-1] > scores[seen])
    for y, words in ((80, "rises again"), (236, "keeps rising"), (346, "rises: wrong" if wrong else "falls")):
        canvas.note((places[seen] + places[-1]) / 2, y, words, "", "middle")
    bars(canvas, places[:seen], scores[:seen], 390, "weight", top=top)
    bars(canvas, places[seen:], scores[seen:], 390, "query" if wrong else "weight", top=top)
    said = [", ".join(number(float(each)) for each in row) for row in (*features, scores)]
    return canvas.finish(
        "A fast hand comes around, a slow one does not",
        f"A fast and a slow hand at the positions 0 to {positions - 1}, of which training has seen the first {seen}."
        f" The cosine of the fast hand is {said[0]}, the sine of the slow one {said[1]}, and the scores of the query"
        f" ({number(query[0])}, {number(query[1])}) are {said[2]}. They fall on the positions that training has seen,"
        " and rise on the new ones, where the fast hand completes its turn.",
    )


def same_sine(positions: tuple[int, int] = (10, 12)) -> Drawing:
    """Draw the fast hand at two positions with nearly the same sine, and at the two positions before them."""
    canvas, radius, y, axis, said = Canvas(234), 54, 100, 184, []
    canvas.note(215, axis + 42, "sine: how far to the right", anchor="middle")
    for x, steps, title in ((136, 0, "positions {}, {}"), (294, 1, "one back: {}, {}")):
        shown = [each - steps for each in positions]
        tips = [(math.sin(each), math.cos(each)) for each in shown]
        canvas.text(x, 18, title.format(*shown), "bold")
        canvas.add("circle", cx=x, cy=y, r=radius, class_="empty")
        canvas.line((x - radius - 10, axis), (x + radius + 10, axis), arrow=False, width=1)
        marks: dict[str, float] = {}
        for p, (right, up), kind in zip(shown, tips, ("", "layer"), strict=True):
            tip = x + radius * right, y - radius * up
            canvas.line((x, y), (x + 0.88 * (tip[0] - x), y + 0.88 * (tip[1] - y)), kind=kind, width=3)
            canvas.add("path", d=f"M{tip[0]:.1f} {tip[1]:.1f}V{axis}", class_="off")
            words = f"{right:.2f}".replace("-", "−")
            canvas.add("circle", cx=tip[0], cy=axis, r=4, class_=f"filled {kind}".strip())
            if words in marks:  # a ring around the dot that is there
                canvas.add("circle", cx=tip[0], cy=axis, r=7, class_=f"empty {kind}".strip())
            outside = x + 1.24 * radius * right + math.copysign(7, right), y - 1.24 * radius * up + 5
            canvas.text(*outside, str(p), "bold")
            if not steps:
                canvas.note(x - 48, tip[1] + (-3 if up < 0 else 12), f"cos = {number(up)}", kind, "end")
            marks[words] = tip[0]
        for words, at in marks.items():
            canvas.text(at, axis + 22, words if len(marks) > 1 else f"{words}, twice", size=14)
        said.append(" and ".join(f"({number(right)}, {number(up)})" for right, up in tips))
    return canvas.finish(
        "One sine, two hands",
        f"Two clocks. On the left are the hands of the positions {positions[0]} and {positions[1]}, whose tips are at"
        f" {said[0]}: equally far to the left, one below and one above. On the right are the hands of the positions"
        f" before them, with the tips {said[1]}, which are far apart.",
    )


def clock(
    canvas: Canvas, x: float, y: float, shown: np.ndarray, angle: float, radius: int = RADIUS, kind: str = ""
) -> None:
    """Draw a clock with one hand, whose tip is to the right and up as ``shown``, and the angle that it has turned."""
    tip = x + radius * shown[0], y - radius * shown[1]
    start = f"M{x} {y}L{x} {y - radius}"
    turned = f"{start}A{radius} {radius} 0 {int(angle > math.pi)} 1 {tip[0]:.1f} {tip[1]:.1f}z"
    canvas.add("path", d=turned, class_=f"cell {kind}".strip(), fill_opacity=0.15)
    canvas.add("circle", cx=x, cy=y, r=radius, class_=f"empty {kind}".strip())
    canvas.line((x, y), (x + 0.9 * (tip[0] - x), y - 0.9 * (y - tip[1])), kind=kind, width=3)


def bars(
    canvas: Canvas, places: list[int], shown: np.ndarray, zero: float, kind: str = "", *, top: float = 1, wide: int = 26
) -> None:
    """Draw numbers as bars from a line at ``zero``: up if they are positive, down if not; ``top`` is the highest."""
    for x, each in zip(places, shown, strict=True):
        high = 24 * abs(float(each)) / top
        place = {"x": x - wide / 2, "y": zero - high * (each > 0), "width": wide, "height": high}
        canvas.add("rect", **place, class_=f"filled {kind}".strip())
        canvas.text(x, zero + high + 14 if each < 0 else zero - high - 4, number(float(each)), size=13)
