"""The sinusoidal encoding as a map: each row a position, with the chosen row's profile and its dot products."""

import math
from typing import Any

import numpy as np

from .figure import ACCENT, Figure, figure, slider

SECOND = "#c2410c"  # negative numbers; as dark as the accent, and told apart from it without red or green
MAP_WIDTH, MAP_HEIGHT = 320, 240
VIEW_HEIGHT = 80


def encoding_matrix(
    T: int = 48, d_model: int = 32, *, base: float = 10000.0, position: int = 0, description: str = ""
) -> Figure:
    """Interactive map of the sinusoidal encoding, computed in the page from T, d_model and base.

    A slider chooses a position. Below the map stand its row, feature by feature, and the dot product of that
    row with every row.

    Args:
        T: number of positions.
        d_model: number of features, even.
        base: ratio of the fastest to the slowest angle, nearly.
        position: where the slider stands at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if `d_model` is odd, if there are fewer than two positions, or if `position` is none of them.

    Example:
        >>> encoding_matrix(8, 4, description="Eight rows of waves.")
        Eight rows of waves.
    """
    if T < 2 or d_model < 2 or d_model % 2:
        raise ValueError(f"need T={T} of at least 2 and an even d_model={d_model} of at least 2")
    if not 0 <= position < T:
        raise ValueError(f"position={position} must be one of the {T} rows")
    body = {
        "data": {"sequence": {"start": 0, "stop": T * d_model, "as": "cell"}},
        "params": [slider("position", "Position p", 0, T - 1, position)],
        "transform": _entries(d_model, base),
        "vconcat": [_map_view(), _profile_view(), _products_view(d_model, _lowest(T, d_model, base))],
        "spacing": 14,
    }
    table = {
        "mark": "products_marks",
        "value": "product",
        "corner": "position s",
        "columns": ["PE(p) · PE(s)"],
        "rows": [str(s) for s in range(T)],
    }
    return figure(description, table, body)


def _entries(d_model: int, base: float) -> list[dict[str, Any]]:
    frequency = f"pow({base}, -2 * floor(datum.feature / 2) / {d_model})"
    wave = "datum.feature % 2 ? cos({0} * " + frequency + ") : sin({0} * " + frequency + ")"
    return [
        {"calculate": f"floor(datum.cell / {d_model})", "as": "row"},
        {"calculate": f"datum.cell % {d_model}", "as": "feature"},
        {"calculate": wave.format("datum.row"), "as": "value"},
        {"calculate": wave.format("position"), "as": "chosen"},
        {"calculate": "datum.value * datum.chosen", "as": "term"},
    ]


def _features(**axis: Any) -> dict[str, Any]:
    return {
        "field": "feature",
        "type": "ordinal",
        "axis": {"labelExpr": "datum.value % 8 ? '' : datum.value", "labelAngle": 0, "ticks": False, **axis},
    }


def _signed() -> dict[str, Any]:
    return {"condition": {"test": "datum.value < 0", "value": SECOND}, "value": ACCENT}


def _map_view() -> dict[str, Any]:
    return {
        "name": "map",
        "width": MAP_WIDTH,
        "height": MAP_HEIGHT,
        "encoding": {
            "x": _features(orient="top", title="feature", domain=False),
            "y": {
                "field": "row",
                "type": "ordinal",
                "title": "position",
                "axis": {"labelExpr": "datum.value % 8 ? '' : datum.value", "ticks": False, "domain": False},
            },
        },
        "layer": [
            {
                "name": "entries",
                "mark": {"type": "rect"},
                "encoding": {
                    "fill": _signed(),
                    "fillOpacity": {"field": "strength", "type": "quantitative", "scale": None},
                },
                "transform": [{"calculate": "abs(datum.value)", "as": "strength"}],
            },
            {
                "name": "chosen_row",
                "mark": {"type": "rect", "fill": None, "stroke": "currentColor", "strokeWidth": 2},
                "transform": [{"filter": "datum.row === position && datum.feature === 0"}],
                "encoding": {"x": {"value": 0}, "x2": {"value": MAP_WIDTH}},
            },
        ],
    }


def _profile_view() -> dict[str, Any]:
    return {
        "name": "profile",
        "width": MAP_WIDTH,
        "height": VIEW_HEIGHT,
        "transform": [{"filter": "datum.row === position"}],
        "mark": {"type": "bar"},
        "encoding": {
            "x": _features(orient="bottom", title="feature of row p", offset=4, domain=False),
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "PE(p)",
                "scale": {"domain": [-1, 1]},
                "axis": {"values": [-1, 0, 1]},
            },
            "fill": _signed(),
        },
    }


def _lowest(T: int, d_model: int, base: float) -> int:
    """Round the smallest dot product of two rows down; 0 if none is negative."""
    products = np.cos(np.arange(T)[:, None] * base ** (-np.arange(0, d_model, 2) / d_model)).sum(axis=-1)  # (T,)
    return min(0, math.floor(float(products.min())))


def _products_view(d_model: int, lowest: int) -> dict[str, Any]:
    half = d_model // 2
    return {
        "name": "products",
        "width": MAP_WIDTH,
        "height": VIEW_HEIGHT,
        "transform": [{"aggregate": [{"op": "sum", "field": "term", "as": "product"}], "groupby": ["row"]}],
        "mark": {"type": "bar", "fill": ACCENT},
        "encoding": {
            "x": {
                "field": "row",
                "type": "ordinal",
                "title": "position s",
                "axis": {"labelExpr": "datum.value % 8 ? '' : datum.value", "labelAngle": 0, "ticks": False},
            },
            "y": {
                "field": "product",
                "type": "quantitative",
                "title": "PE(p)·PE(s)",
                "scale": {"domain": [lowest, half]},
                "axis": {"values": sorted({lowest, 0, half})},
            },
            "fillOpacity": {"condition": {"test": "datum.row === position", "value": 1}, "value": 0.6},
        },
    }
