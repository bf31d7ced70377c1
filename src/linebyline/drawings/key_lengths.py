"""Keys and their lengths: two keys on a circle around the origin, and keys before and after RMS norm."""

import numpy as np

from clearformer import functional as F

from .comparisons import KEYS, QUERY
from .kit import Canvas, Drawing

CIRCLE = np.array([[3.0, 4.0], [5.0, 0.0]])  # keys of the same length
UNIT, X, Y = 42, 40, 224  # pixels of a unit, and where the arrows start
SMALL_UNIT, STARTS, LOW = 36, (24, 212), 154  # before and after the norm
COLUMNS, ROW = (236, 316), 28


def same_length() -> Drawing:
    """Draw two keys of the same length on an arc, and how far each is from the query."""
    canvas = Canvas(256)
    _arc(canvas, (X, Y), UNIT * float(np.linalg.norm(CIRCLE[0])))
    tip, ends = _end(QUERY, (X, Y), UNIT), [_end(key, (X, Y), UNIT) for key in CIRCLE]
    canvas.line((X, Y), ends[1], kind="key", width=8)
    canvas.line((X, Y), ends[0], kind="key", width=3)
    canvas.line((X, Y), tip, kind="query", width=3)
    far, near = np.linalg.norm(CIRCLE - QUERY, axis=1)
    for end in ends:
        canvas.add("path", d=f"M{tip[0]} {tip[1] - 8}L{end[0]} {end[1] - 8}", class_="frame")
    canvas.text(tip[0] + 32, Y - 84, f"{far:.2f}", anchor="start")
    canvas.text((tip[0] + ends[1][0]) / 2, Y - 16, f"{near:.0f}")
    canvas.text(ends[0][0] + 10, ends[0][1] - 8, "key C = (3, 4)", "key", "start")
    canvas.text(ends[1][0] + 10, Y - 14, "key D", "key", "start")
    canvas.text(ends[1][0] + 10, Y + 5, "= (5, 0)", "key", "start")
    canvas.text(X, Y + 28, "query = (2, 0)", "query", "start")
    return canvas.finish(
        "Two keys of the same length",
        "Both keys end on a circle of radius 5 around the origin. Key C is (3, 4), key D is (5, 0), and the query is"
        f" (2, 0). Dashed lines from the query to the keys: C is {far:.2f} away, and D, which has its direction, is"
        f" {near:.0f} away.",
    )


def normalized_keys() -> Drawing:
    """Draw a query and two keys before and after RMS norm, with the weight of the key that equals the query."""
    canvas = Canvas(316)
    for start, name, query, keys in (
        (STARTS[0], "before", QUERY, KEYS),
        (STARTS[1], "after RMS norm", rms_norm(QUERY), rms_norm(KEYS)),
    ):
        canvas.text(start - 16, 18, name, "bold", "start")
        place = (start, LOW)
        if name != "before":
            _arc(canvas, place, SMALL_UNIT * float(np.linalg.norm(query)))
        for key, label in zip(keys, "AB", strict=True):
            x, y = _end(key, place, SMALL_UNIT)
            canvas.line(place, (x, y), kind="key", width=3 if label == "A" else 8)  # B is equal to the query
            canvas.text(x + (10 if label == "A" else 18), y + (2 if label == "A" else -1), label, "key", "start")
        end = SMALL_UNIT * query[0]
        canvas.line((start, LOW), (start + end, LOW), kind="query", width=3)
        canvas.text(start + end + 18, LOW + 18, "= query", "query", "start")
    rows, top = weights_of_b(), LOW + 54
    for x, words in zip(COLUMNS, ("before", "after"), strict=True):
        canvas.note(x, top, words, anchor="middle")
    canvas.note(8, top, "weight of key B", "weight")
    for i, (name, row) in enumerate(rows.items()):
        canvas.text(8, top + ROW * (i + 1), name, anchor="start")
        for x, weight in zip(COLUMNS, row, strict=True):
            canvas.text(x, top + ROW * (i + 1), _weight(weight), "bold" if weight > 0.5 else "")
    said = "; ".join(f"{name}, {_weight(row[0])} before and {_weight(row[1])} after" for name, row in rows.items())
    return canvas.finish(
        "A query and two keys, before and after RMS norm",
        "Before, key A is long and 45 degrees away from the query, and key B is equal to the query. After, all three"
        f" end on a circle of radius 1.41. The weight of key B: {said}.",
    )


def rms_norm(x: np.ndarray) -> np.ndarray:
    """Return vectors divided by the root of the mean of their squares."""
    normalized: np.ndarray = x / np.sqrt((x**2).mean(axis=-1, keepdims=True))
    return normalized


def weights_of_b() -> dict[str, tuple[float, float]]:
    """Return the weight of key B before and after RMS norm, with keys as they are and with longer ones."""
    rows = {}
    for times, name in ((1, "keys as they are"), (10, "10 times as long"), (100, "100 times as long")):
        keys = times * KEYS
        scores = keys @ QUERY, rms_norm(keys) @ rms_norm(QUERY)
        before, after = (float(F.softmax(row / np.sqrt(2))[1]) for row in scores)
        rows[name] = before, after
    return rows


def _weight(value: float) -> str:
    """Return a weight with two decimals, or with a power of ten if it is tiny."""
    if value > 0.001:
        return f"{value:.2f}"
    first, power = f"{value:.0e}".split("e-")
    return f"{first} · 10⁻{str(int(power)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _arc(canvas: Canvas, middle: tuple[float, float], radius: float) -> None:
    """Draw a quarter of a circle, from the right to the top."""
    x, y = middle
    canvas.add("path", d=f"M{x + radius:.1f} {y}A{radius:.1f} {radius:.1f} 0 0 0 {x} {y - radius:.1f}", class_="off")


def _end(vector: np.ndarray, start: tuple[float, float], unit: float) -> tuple[float, float]:
    """Return where an arrow ends, in pixels."""
    return float(start[0] + unit * vector[0]), float(start[1] - unit * vector[1])
