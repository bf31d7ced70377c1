"""Ratios of two times, each with its range, beside the line of 1 and the target."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from .figure import ACCENT, Figure, figure

ROW, WIDTH = 80, 340  # pixels
LOWER = 16  # how far below the middle of its row a point lies: its words stand above it
MISSED = "datum.target !== null && datum.ratio < datum.target"
LETTERS = 48  # in a line of words, which fit the width and leave two lines for most rows
SHAPES = ("circle", "diamond", "square", "triangle-up")


@dataclass(frozen=True)
class Ratio:
    """How many times faster one thing is than another on a machine; ``low`` and ``high`` are its ends over rounds."""

    work: str
    peer: str
    machine: str
    value: float
    low: float | None
    high: float | None
    target: float | None


def ratios(points: Sequence[Ratio], *, description: str = "") -> Figure:
    """Draw ratios on a logarithmic axis, a row for each work and peer: a point, its range, and a tick at the target.

    Args:
        points: The ratios; those of one work and peer share a row, and each machine has a shape of its own.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no ratio, or one is not positive, or there are more machines than shapes.

    Example:
        >>> ratios([Ratio("sort", "peer", "a laptop", 2.0, 1.5, 2.5, 1.0)], description="One ratio.")
        One ratio.
    """
    machines = list(dict.fromkeys(point.machine for point in points))
    if not points or min(point.value for point in points) <= 0 or len(machines) > len(SHAPES):
        raise ValueError(f"need 1 to {len(SHAPES)} machines and ratios above 0, got {len(machines)} and {points}")
    rows = list(dict.fromkeys((point.work, point.peer) for point in points))
    values: list[dict[str, Any]] = [
        {
            "row": rows.index((point.work, point.peer)),
            "words": [*wrap(point.work, LETTERS), *wrap(f"against {point.peer}", LETTERS)],
            "ratio": point.value,
            "low": point.low or point.value,
            "high": point.high or point.value,
            "target": point.target,
            "shape": SHAPES[machines.index(point.machine)],
        }
        for point in points
    ]
    ends = [1.0, *(row[name] for row in values for name in ("low", "high", "target") if row[name] is not None)]
    domain = [2 ** math.floor(math.log2(min(ends) * 0.99)), 2 ** math.ceil(math.log2(max(ends) * 1.01))]
    table = {
        "corner": "work and peer",
        "columns": ["machine", "ratio", "lowest", "highest", "target"],
        "rows": [f"{point.work}, against {point.peer}" for point in points],
        "cells": [cell for point in points for cell in _cells(point)],
    }
    return figure(description, table, _body(values, domain, len(rows)))


def _cells(point: Ratio) -> list[str]:
    numbers = (point.value, point.low, point.high, point.target)
    return [point.machine, *("–" if number is None else f"{number:.3g}" for number in numbers)]


def _body(values: list[dict[str, Any]], domain: list[float], n_rows: int) -> dict[str, Any]:
    x: dict[str, Any] = {
        "field": "ratio",
        "type": "quantitative",
        "title": "times as fast as the peer",
        "scale": {"type": "log", "base": 2, "domain": domain, "nice": False},
        "axis": {"format": "~g", "tickCount": 6, "orient": "bottom", "labelFlush": False},
    }
    y = {"field": "row", "type": "ordinal", "axis": None, "scale": {"type": "band", "padding": 0}}
    one = {name: part for name, part in {**x, "datum": 1}.items() if name != "field"}
    beside_the_point = {"y": {**y, "bandPosition": 0.56}, "y2": {"field": "row", "bandPosition": 0.84}}
    shown = {
        "type": "point",
        "filled": True,
        "fill": ACCENT,
        "stroke": ACCENT,
        "strokeWidth": 2,
        "opacity": 1,
        "size": 110,
        "yOffset": LOWER,
    }
    words = {"type": "text", "align": "left", "baseline": "top", "fill": "currentColor", "lineHeight": 14, "dy": -34}
    return {
        "data": {"values": values},
        "width": WIDTH,
        "height": n_rows * ROW,
        "layer": [
            {
                "transform": [{"aggregate": [], "groupby": ["row"]}],
                "mark": {"type": "rule", "stroke": "currentColor", "strokeDash": [4, 3], "opacity": 0.5},
                "encoding": {"x": one, **beside_the_point},
            },
            {
                "name": "ranges",
                "mark": {
                    "type": "rule",
                    "stroke": "currentColor",
                    "strokeWidth": 2,
                    "yOffset": LOWER,
                    "y2Offset": LOWER,
                },
                "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}},
            },
            {
                "name": "targets",
                "transform": [{"filter": "datum.target !== null"}],
                "mark": {"type": "tick", "stroke": "currentColor", "thickness": 3, "size": 18, "yOffset": LOWER},
                "encoding": {"y": y, "x": {**x, "field": "target"}},
            },
            {
                "name": "points",
                "mark": shown,
                "encoding": {
                    "y": y,
                    "x": x,
                    "shape": {"field": "shape", "type": "nominal", "scale": None},
                    "fillOpacity": {"condition": {"test": MISSED, "value": 0}, "value": 1},
                },
            },
            {"mark": words, "encoding": {"y": y, "x": {"value": 0}, "text": {"field": "words"}}},
        ],
    }
