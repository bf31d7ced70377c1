"""Normalization to play with: a small table of numbers under four norms."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .encoding_matrix import SECOND
from .figure import ACCENT, Figure, figure, json_numbers, radio, slider, token_label

CELL_WIDTH, CELL_HEIGHT = 66, 40
NORMS = ("none", "layer", "batch", "RMS")


def normalization_map(
    values: np.ndarray,
    tokens: Sequence[str],
    *,
    row: int = 0,
    norm: str = "layer",
    eps: float = 1e-5,
    description: str = "",
) -> Figure:
    """Interactive table of numbers under no, layer, batch or RMS normalization, computed in the page.

    Two sliders multiply one row and add to it. What then differs by more than 0.005 from what stood there
    before the sliders moved is outlined, and counted below.

    Args:
        values: one row a token, one column a feature, (T, d).
        tokens: T names.
        row: the row that the sliders change.
        norm: the norm that is chosen at first, one of `"none"`, `"layer"`, `"batch"`, `"RMS"`.
        eps: added to the variance or the mean square.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if shapes and names disagree, a number is not finite, or a start does not exist.

    Example:
        >>> normalization_map(np.eye(2), ["a", "b"], description="A table.")
        A table.
    """
    if values.ndim != 2 or len(tokens) != len(values):
        raise ValueError(f"{len(tokens)} tokens are named, but the values are {values.shape}")
    if not 0 <= row < len(tokens):
        raise ValueError(f"row={row} must be one of the {len(tokens)} rows")
    if norm not in NORMS:
        raise ValueError(f"norm={norm!r} is none of {', '.join(NORMS)}")
    if not np.isfinite(values).all():
        raise ValueError("cannot draw values that are not finite")
    features = values.shape[1]
    cells = [{"cell": n, "value": value} for n, value in enumerate(json_numbers(values))]
    whose = f"row of {tokens[row]}"
    body = {
        "data": {"name": "values", "values": cells},
        "params": [
            slider("stretch", f"Multiply the {whose} by", 0.2, 4, 1, 0.1),
            slider("shift", f"Add to the {whose}", -2, 2, 0, 0.1),
            radio("norm", "Normalization", NORMS, NORMS.index(norm)),
        ],
        "transform": [
            {"calculate": f"floor(datum.cell / {features})", "as": "row"},
            {"calculate": f"datum.cell % {features}", "as": "feature"},
            *_normalized("value", "before", eps),
            {"calculate": f"datum.row === {row} ? stretch * datum.value + shift : datum.value", "as": "moved"},
            *_normalized("moved", "after", eps),
            {"calculate": "abs(datum.after - datum.before) > 0.005 ? 1 : 0", "as": "changed"},
        ],
        "vconcat": [_table_view(tokens, features), _count_view(values.size)],
        "spacing": 4,
    }
    table = {
        "mark": "numbers_marks",
        "value": "after",
        "corner": "token",
        "columns": [f"feature {a}" for a in range(features)],
        "rows": list(tokens),
    }
    return figure(description, table, body)


def _normalized(x: str, result: str, eps: float) -> list[dict[str, Any]]:
    """Compute the chosen norm of a field: means first, then mean squares of what is left."""

    def mean(field: str, by: str, name: str) -> dict[str, Any]:
        return {"joinaggregate": [{"op": "mean", "field": field, "as": name}], "groupby": [by]}

    layer, batch, square = f"{x}_layer", f"{x}_batch", f"{x}_square"
    return [
        mean(x, "row", f"{layer}_mean"),
        mean(x, "feature", f"{batch}_mean"),
        {"calculate": f"pow(datum.{x} - datum.{layer}_mean, 2)", "as": layer},
        {"calculate": f"pow(datum.{x} - datum.{batch}_mean, 2)", "as": batch},
        {"calculate": f"pow(datum.{x}, 2)", "as": square},
        mean(layer, "row", f"{layer}_var"),
        mean(batch, "feature", f"{batch}_var"),
        mean(square, "row", f"{square}_mean"),
        {
            "calculate": f"norm === 0 ? datum.{x}"
            f" : norm === 1 ? (datum.{x} - datum.{layer}_mean) / sqrt(datum.{layer}_var + {eps})"
            f" : norm === 2 ? (datum.{x} - datum.{batch}_mean) / sqrt(datum.{batch}_var + {eps})"
            f" : datum.{x} / sqrt(datum.{square}_mean + {eps})",
            "as": result,
        },
    ]


def _table_view(tokens: Sequence[str], features: int) -> dict[str, Any]:
    axis = {"ticks": False, "domain": False, "labelAngle": 0}
    scale = {"paddingInner": 0.08, "paddingOuter": 0.04}
    return {
        "name": "cells",
        "width": CELL_WIDTH * features,
        "height": CELL_HEIGHT * len(tokens),
        "encoding": {
            "x": {
                "field": "feature",
                "type": "ordinal",
                "title": "feature",
                "scale": scale,
                "axis": {**axis, "orient": "top"},
            },
            "y": {
                "field": "row",
                "type": "ordinal",
                "title": None,
                "scale": scale,
                "axis": {**axis, "labelExpr": token_label("datum.value", tokens)},
            },
        },
        "layer": [
            {
                "name": "fills",
                # At most 0.4, so that the number on top is legible on light and on dark paper.
                "transform": [{"calculate": "min(0.4, 0.05 + abs(datum.after) / 5)", "as": "strength"}],
                "mark": {"type": "rect", "stroke": "currentColor"},
                "encoding": {
                    "fill": {"condition": {"test": "datum.after < 0", "value": SECOND}, "value": ACCENT},
                    "fillOpacity": {"field": "strength", "type": "quantitative", "scale": None},
                    "strokeWidth": {"condition": {"test": "datum.changed", "value": 2.5}, "value": 0},
                },
            },
            {
                "name": "numbers",
                "mark": {"type": "text", "fill": "currentColor", "fontSize": 14},
                "encoding": {"text": {"field": "after", "type": "quantitative", "format": ".2f"}},
            },
        ],
    }


def _count_view(count: int) -> dict[str, Any]:
    return {
        "name": "count",
        "width": 4 * CELL_WIDTH,
        "height": 26,
        "transform": [
            {"aggregate": [{"op": "sum", "field": "changed", "as": "total"}]},
            {"calculate": f"datum.total + ' of {count} numbers differ from before'", "as": "label"},
        ],
        "mark": {"type": "text", "fill": "currentColor", "fontSize": 14, "fontWeight": "bold"},
        "encoding": {"text": {"field": "label"}},
    }
