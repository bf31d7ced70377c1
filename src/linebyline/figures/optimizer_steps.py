"""The steps of an optimizer as calculations of Vega, one after the other.

Vega has no loop, but the steps are few: each is written out, and computes with the fields of the one before.
"""

from collections.abc import Iterator

import numpy as np

OPTIMIZERS = ("gradient descent", "momentum", "Adam", "AdamW")
EPS = 1e-8


def steps(noise: np.ndarray) -> dict[str, str]:
    """Expressions that compute the path from a row with the numbers of a ``Surface``, for noise of (n_steps, 2).

    Those of single steps come first. Then ``step`` lists the numbers of the points from 0, the start, and ``point``,
    ``before`` and ``rate`` list each point, the one before it, and the learning rate.
    """
    fields = {"p0": "[datum.start_x, datum.start_y]", "m0": "[0, 0]", "v0": "[0, 0]", "r0": "null"}
    for n, batch in enumerate(noise.tolist(), start=1):
        fields |= dict(_step(n, batch))
    points = range(len(noise) + 1)
    return fields | {
        "step": f"sequence({len(points)})",
        "point": _list(f"datum.p{n}" for n in points),
        "before": _list(f"datum.p{max(n - 1, 0)}" for n in points),
        "rate": _list(f"datum.r{n}" for n in points),
    }


def _step(n: int, noise: list[float]) -> Iterator[tuple[str, str]]:
    """The fields of step n: distance w and slope s across, gradient g, means m and v, learning rate r, point p."""
    x, y = f"datum.p{n - 1}[0]", f"datum.p{n - 1}[1]"
    yield f"w{n}", f"{y} - datum.centre_y - datum.bend * {x} * {x}"
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


def _list(parts: Iterator[str]) -> str:
    return f"[{', '.join(parts)}]"
