"""The steps of an optimizer as calculations of Vega, one after the other.

Vega has no loop. But the steps are few, so each stands there by itself, and works on the fields of the one before.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

OPTIMIZERS = ("gradient descent", "momentum", "Adam", "AdamW")
EPS = 1e-8
# Of a row: what the loss is computed from, and what is drawn.
SURFACE = ("along", "across", "bend", "quartic", "centre_x", "centre_y", "least", "contours")
LARGEST_LOSS = 1e6  # where a path has left every map, and is shown no further


def steps(noise: np.ndarray) -> list[dict[str, Any]]:
    """Transforms that make of a surface's row one row for each point of the path, with its loss and its update.

    A row has the surface's numbers, by the names of ``Surface``. Points are numbered from 0, the start, in
    ``step``; ``x``, ``y``, ``loss``, ``rate`` and ``update``, the larger change of the two coordinates, tell of each.
    """
    fields = {"p0": "[datum.start_x, datum.start_y]", "m0": "[0, 0]", "v0": "[0, 0]", "r0": "null"}
    for n, batch in enumerate(noise.tolist(), start=1):
        fields |= dict(_step(n, batch))
    points = range(len(noise) + 1)
    gathered = {
        "step": f"sequence({len(points)})",
        "point": _list(f"datum.p{n}" for n in points),
        "before": _list(f"datum.p{max(n - 1, 0)}" for n in points),
        "rate": _list(f"datum.r{n}" for n in points),
    }
    after = {
        "x": "datum.point[0]",
        "y": "datum.point[1]",
        "w": _across("datum.x", "datum.y"),
        "loss": "datum.along * pow(datum.x - datum.centre_x, 2) / 2 + datum.across * datum.w * datum.w / 2"
        " + datum.quartic * datum.w * datum.w * datum.w * datum.w / 4 - datum.least",
        "update": "max(abs(datum.x - datum.before[0]), abs(datum.y - datum.before[1]))",
        # Not a number is not below it, either.
        "shown": f"datum.loss < {LARGEST_LOSS}",
    }
    # The one row is gathered into itself, without the fields of the steps: each point would carry a copy of them.
    needed = {"aggregate": [{"op": "count", "as": "rows"}], "groupby": [*SURFACE, *gathered]}
    return [*_calculate(fields | gathered), needed, {"flatten": list(gathered)}, *_calculate(after)]


def _step(n: int, noise: list[float]) -> Iterator[tuple[str, str]]:
    """Fields of step n: the distance w across, the slope s by it, the gradient g, the means m and v, the point p."""
    x, y = f"datum.p{n - 1}[0]", f"datum.p{n - 1}[1]"
    yield f"w{n}", _across(x, y)
    w, slope = f"datum.w{n}", f"datum.s{n}"
    yield f"s{n}", f"datum.across * {w} + datum.quartic * {w} * {w} * {w}"
    exact = f"datum.along * ({x} - datum.centre_x) - 2 * datum.bend * {x} * {slope}", slope
    yield f"g{n}", _list(f"{g} + datum.noise * ({e})" for g, e in zip(exact, noise, strict=True))
    pairs = [tuple(f"datum.{name}[{i}]" for name in (f"m{n - 1}", f"v{n - 1}", f"g{n}")) for i in range(2)]
    yield f"m{n}", _list(f"keep * {m} + add * {g}" for m, _, g in pairs)
    yield f"v{n}", _list(f"beta_2 * {v} + (1 - beta_2) * {g} * {g}" for _, v, g in pairs)
    yield f"r{n}", f"lr * min(1, {n} / max(1, warmup))"
    yield f"p{n}", _list(_moved(n, i) for i in range(2))


def _moved(n: int, i: int) -> str:
    """A coordinate after step n."""
    m, v, before = f"datum.m{n}[{i}]", f"datum.v{n}[{i}]", f"datum.p{n - 1}[{i}]"
    adam = f"{m} / (1 - pow(beta_1, {n})) / (sqrt({v} / (1 - pow(beta_2, {n}))) + {EPS}) + decay * {before}"
    return f"{before} - datum.r{n} * (optimizer < 2 ? {m} : {adam})"


def _across(x: str, y: str) -> str:
    return f"{y} - datum.centre_y - datum.bend * {x} * {x}"


def _list(parts: Iterator[str]) -> str:
    return f"[{', '.join(parts)}]"


def _calculate(fields: dict[str, str]) -> list[dict[str, Any]]:
    return [{"calculate": expression, "as": name} for name, expression in fields.items()]
