"""A layer with a nonlinearity that reads two characters, and the chain rule that goes backward through it."""

from collections.abc import Sequence

import numpy as np

from .kit import CELL, Canvas, Drawing, number

# What each character adds to two hidden units: "t, then h" and "s, then h".
BEFORE = {"t": (1, -1), "s": (-1, 1)}
NOW = {"h": (1, 1), "o": (0, 0)}
BIAS = (-1, -1)
OUT = {"e": (1, 0), "a": (-1, 2)}  # what each unit adds to the logits of e and a
CASES = (("t", "h"), ("s", "h"), ("t", "o"), ("s", "o"))


def two_characters() -> Drawing:
    """Draw a layer with two hidden units: one pair of characters with every number, and the units of three others."""
    canvas = Canvas(462)
    first, second = CASES[0]
    for x, table, picked, words in ((70, BEFORE, first, "W_1 before"), (182, NOW, second, "W_1 now")):
        canvas.note(x, 16, words, anchor="middle")
        for i, (letter, row) in enumerate(table.items()):
            y = 38 + CELL * i
            canvas.note(x - 34, y + 5, f"‘{letter}’", "" if letter == picked else "quiet", "end")
            canvas.vector(x, y, [*row] if letter == picked else [*map(number, row)], "weight", top=1)
            if letter == picked:
                canvas.add("rect", x=x - 27, y=y - 14, width=54, height=28, rx=3, class_="token lit", fill_opacity=0)
    canvas.note(294, 16, "bias b_1", anchor="middle")
    canvas.vector(294, 38, [*map(number, BIAS)], "weight")
    for x in (119, 238):
        canvas.text(x, 43, "+", "bold")
    total, unit, logits = _steps(first, second)
    middle = 182
    canvas.line((middle, 93), (middle, 109))
    for y, words, values in ((124, "sum s", total), (190, "hidden vector h", unit)):
        canvas.note(4, y + 5, words)
        canvas.vector(middle, y, _shaded(values), "layer", top=2)
    canvas.line((middle, 140), (middle, 174))
    canvas.note(middle + 9, 162, "ReLU")
    canvas.line((230, 166), (262, 166), (286, 142), kind="layer", arrow=False, width=3)
    canvas.note(292, 152, "0, then")
    canvas.note(292, 168, "rising")
    canvas.line((middle, 206), (middle, 272))
    canvas.note(middle + 9, 244, "× W_2")
    canvas.note(301 + CELL / 2, 196, "W_2", anchor="middle")
    for i, (letter, weights) in enumerate(OUT.items()):
        canvas.note(301 + CELL * i, 214, f"‘{letter}’", anchor="middle")
        canvas.note(282, 237 + CELL * i, f"unit {i + 1}", anchor="end")
        canvas.matrix(288 + CELL * i, 219, [[weight] for weight in weights], "weight", top=2)
        canvas.vector(middle + 60 * (i - 0.5), 287, [f"‘{letter}’: {number(logits[i])}"], "layer", cell=54)
    canvas.note(4, 292, "logits z")
    canvas.line((4, 318), (356, 318), arrow=False, kind="off")
    canvas.note(138, 340, "sum", anchor="middle")
    canvas.note(230, 340, "hidden", anchor="middle")
    for y, pair, words in zip((362, 402, 442), CASES[1:], ("‘a’ raised", "neither", "neither"), strict=True):
        canvas.token(44, y, "".join(pair), 52)
        total, unit, _ = _steps(*pair)
        canvas.vector(138, y, _shaded(total), "layer", top=2)
        canvas.line((170, y), (198, y))
        canvas.vector(230, y, _shaded(unit), "layer", top=2)
        canvas.note(318, y + 5, words, "", "middle")
    return canvas.finish(
        "A layer that reads two characters",
        "For th, the row of t before, (1, -1), the row of h now, (1, 1), and the bias, (-1, -1), add up to (1, -1). For"
        " sh the sum is (-1, 1). For to it is (0, -2) and for so (-2, 0), which the ReLU turns into (0, 0). The weights"
        " of the first unit are 1 and -1, those of the second 0 and 2, so after th the logits of e and a are 1 and -1,"
        " after sh they are 0 and 2, and after to and so they are 0.",
    )


def _steps(before: str, now: str) -> tuple[list[float], list[float], list[float]]:
    """The sum, the hidden vector and the logits of a pair."""
    total = np.add(BEFORE[before], NOW[now]) + BIAS
    unit = np.maximum(total, 0)
    return total.tolist(), unit.tolist(), (unit @ np.transpose([*OUT.values()])).tolist()


def _shaded(values: Sequence[float]) -> list[float | str]:
    """Numbers of which only those above 0 are shaded."""
    return [value if value > 0 else number(value) for value in values]


def hidden_backward() -> Drawing:
    """Draw the hidden units of ``two_characters`` after th, forward with values and backward with slopes."""
    total = np.add(BEFORE["t"], NOW["h"]) + BIAS
    unit, weights = np.maximum(total, 0), np.transpose([*OUT.values()])  # (2,), and (2, 2): a row for each unit
    logits = unit @ weights
    p = np.exp(logits) / np.exp(logits).sum()
    d_logits = p - (1, 0)  # e is the actual character
    d_unit = weights @ d_logits
    d_total = d_unit * (total > 0)
    canvas = Canvas(384)
    left, right, past = 140, 280, 348
    at = {"sum": 58, "hidden": 128, "W_2": 198, "logits": 282, "probabilities": 352}
    canvas.text(left, 20, "values", "bold", size=13)
    canvas.text(right, 20, "their slopes", "bold", size=13)
    for words, y in at.items():
        canvas.note(4, y + 5, words + {"sum": " s", "hidden": " h", "logits": " z"}.get(words, ""), "")
    canvas.note(4, at["logits"] + 21, "of ‘e’ and ‘a’")
    for name, values in (("sum", total), ("hidden", unit), ("logits", logits), ("probabilities", p)):
        canvas.vector(left, at[name], _shaded(values.tolist()), "layer", top=2, cell=46)
    for name, slopes in (("sum", d_total), ("hidden", d_unit), ("logits", d_logits)):
        canvas.vector(right, at[name], [*map(float, slopes)], "value", top=0.4, cell=52)
    for x, table, role, top, cell in (
        (left, weights, "weight", 2, 46),
        (right, np.outer(unit, d_logits), "value", 0.4, 52),
    ):
        canvas.matrix(x - cell, at["W_2"] - CELL, table.tolist(), role, top=top, cell=cell)
    for above, below, words in (("sum", "hidden", "ReLU"), ("hidden", "W_2", "times"), ("W_2", "logits", "gives")):
        high, low = (at[name] + (27 if name == "W_2" else 14) * way for name, way in ((above, 1), (below, -1)))
        canvas.line((left, high + 2), (left, low - 4))
        canvas.note(left + 8, (high + low) / 2 + 5, words)
    canvas.line((left, at["logits"] + 16), (left, at["probabilities"] - 18))
    canvas.note(left + 8, at["probabilities"] - 30, "softmax")
    canvas.line(
        (left + 50, at["probabilities"]), (right, at["probabilities"]), (right, at["logits"] + 17), kind="value"
    )
    canvas.note(356, at["probabilities"] + 22, "minus (1, 0): ‘e’ is actual", "", "end")
    canvas.line((right, at["logits"] - 16), (right, at["W_2"] + 30), kind="value")
    bypass = (right + 54, at["logits"]), (past, at["logits"]), (past, at["hidden"]), (right + 56, at["hidden"])
    canvas.line(*bypass, kind="value")
    canvas.note(right + 8, at["logits"] - 26, "× h")
    canvas.note(past - 6, at["hidden"] + 32, "× W_2", "", "end")
    canvas.line((right, at["hidden"] - 16), (right, at["sum"] + 17), kind="value")
    canvas.note(right + 8, (at["sum"] + at["hidden"]) / 2 + 5, "if on")
    shown = {
        name: f"({number(float(a))}, {number(float(b))})"
        for name, (a, b) in {"logits": d_logits, "unit": d_unit, "total": d_total}.items()
    }
    return canvas.finish(
        "Forward and backward through two hidden units",
        f"Forward, after th: the sum (1, -1) passes the ReLU, the logits of e and a are 1 and -1, and the probabilities"
        f" {p[0]:.2f} and {p[1]:.2f}. Backward, if e is the actual character: the slopes are {shown['logits']} for the"
        f" logits, {shown['unit']} for the units, and {shown['total']} for the sum, because the second unit is off. The"
        f" weights of the first unit have the slopes of the logits, and those of the second have 0.",
    )
