"""A feed-forward layer of one feature as the sum of its hidden units, under a choice of activation."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .encoding_matrix import SECOND
from .figure import ACCENT, Figure, figure, json_numbers, radio, slider

PLOT_WIDTH, PLOT_HEIGHT, UNITS_HEIGHT = 290, 170, 90
# Each bends the number z of a hidden unit; the letters are Vega's.
ACTIVATIONS = {
    "none": "datum.z",
    "ReLU": "max(0, datum.z)",
    "GELU": "datum.z * cumulativeNormal(datum.z)",
    "SiLU": "datum.z / (1 + exp(-datum.z))",
}
Weights = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def hidden_units(
    x: np.ndarray,
    target: np.ndarray,
    layers: Sequence[Weights],
    *,
    start: int = 0,
    activation: str = "ReLU",
    description: str = "",
) -> Figure:
    """Interactive plot of feed-forward layers from one number to one number, computed in the page.

    A slider chooses among the layers, a choice the activation; the weights of a layer stay the same under all of
    them. Above, the layer and its target; below, what each hidden unit gives.

    Args:
        x: where the layers are drawn, (n,), increasing.
        target: what they should give there, (n,).
        layers: for each stop of the slider (w_in, b_in, w_out, b_out), as `functional.feed_forward` takes them.
        start: the layer that is drawn at first, counted from 0.
        activation: the choice at first, one of `"none"`, `"ReLU"`, `"GELU"`, `"SiLU"`.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if the shapes disagree, or a start does not exist.

    Example:
        >>> one = np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.zeros(1)
        >>> hidden_units(np.linspace(-1, 1, 7), np.zeros(7), [one], description="A line.")
        A line.
    """
    if x.ndim != 1 or x.shape != target.shape or len(x) < 7:
        raise ValueError(f"x {x.shape} and target {target.shape} must be (n,) with n of at least 7")
    for number, layer in enumerate(layers):
        d_ff = layer[1].size
        shapes = [array.shape for array in layer]
        if shapes != [(1, d_ff), (d_ff,), (d_ff, 1), (1,)]:
            raise ValueError(f"layer {number} must lead from one feature through d_ff={d_ff} to one, got {shapes}")
    if not 0 <= start < len(layers):
        raise ValueError(f"start={start} must be one of the {len(layers)} layers")
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation={activation!r} is none of {', '.join(ACTIVATIONS)}")
    points = [{"x": a, "target": b} for a, b in zip(json_numbers(x), json_numbers(target), strict=True)]
    shown = np.linspace(0, len(x) - 1, 7).round().astype(int)
    body = {
        "data": {"name": "points", "values": points},
        "params": _params(layers, start, activation),
        "transform": _transform(),
        "vconcat": [_layer_view(target, json_numbers(x[shown])), _units_view(), _error_view()],
        "spacing": 8,
    }
    table = {
        "mark": "shown_marks",
        "value": ["target", "layer"],
        "corner": "x",
        "columns": ["target", "layer"],
        "rows": [f"{value:g}" for value in x[shown]],
    }
    return figure(description, table, body, outputs={"stop": "count"})


def _params(layers: Sequence[Weights], start: int, activation: str) -> list[dict[str, Any]]:
    units = [
        [
            {"unit": number, "w": w, "b": b, "v": v}
            for number, (w, b, v) in enumerate(zip(*map(json_numbers, layer[:3]), strict=True))
        ]
        for layer in layers
    ]
    counts = [f"{len(each)} unit{'s' if len(each) > 1 else ''}" for each in units]
    names = list(ACTIVATIONS)
    return [
        {"name": "layers", "value": units},
        {"name": "bias", "value": [json_numbers(layer[3])[0] for layer in layers]},
        slider("stop", "Hidden units", 0, len(layers) - 1, start),
        {"name": "count", "expr": f"{counts}[stop]"},
        radio("activation", "Activation", names, names.index(activation)),
    ]


def _transform() -> list[dict[str, Any]]:
    """One row for each point and unit; each knows the sum of its point."""
    *first, last = enumerate(ACTIVATIONS.values())
    bend = " : ".join([*(f"activation === {number} ? {rule}" for number, rule in first), last[1]])
    return [
        {"calculate": "layers[stop]", "as": "weights"},
        {"flatten": ["weights"]},
        {"calculate": "datum.weights.unit", "as": "unit"},
        {"calculate": "datum.weights.w * datum.x + datum.weights.b", "as": "z"},
        {"calculate": bend, "as": "hidden"},
        {"calculate": "datum.weights.v * datum.hidden", "as": "part"},
        {"joinaggregate": [{"op": "sum", "field": "part", "as": "total"}], "groupby": ["x"]},
        {"calculate": "datum.total + bias[stop]", "as": "layer"},
        {"calculate": "abs(datum.layer - datum.target)", "as": "error"},
        {"joinaggregate": [{"op": "max", "field": "error", "as": "worst"}]},
    ]


def _x(title: str | None) -> dict[str, Any]:
    return {"field": "x", "type": "quantitative", "title": title, "scale": {"nice": False}, "axis": {"tickCount": 7}}


def _layer_view(target: np.ndarray, shown: list[float | None]) -> dict[str, Any]:
    middle, half = (target.max() + target.min()) / 2, max(1e-9, float(np.ptp(target)) / 2)
    scale = {"domain": [middle - 1.4 * half, middle + 1.4 * half], "nice": False}
    y = {"type": "quantitative", "title": "output", "scale": scale, "axis": {"tickCount": 5}}
    once = [{"filter": "datum.unit === 0"}]
    dashed = {"type": "line", "stroke": "currentColor", "strokeDash": [5, 4], "strokeWidth": 1.5}
    return {
        "name": "above",
        "width": PLOT_WIDTH,
        "height": PLOT_HEIGHT,
        "transform": once,
        "encoding": {"x": _x(None)},
        "layer": [
            {"name": "goal", "mark": {**dashed, "clip": True}, "encoding": {"y": {**y, "field": "target"}}},
            {
                "name": "sum",
                "mark": {"type": "line", "stroke": ACCENT, "strokeWidth": 2.5, "clip": True},
                "encoding": {"y": {**y, "field": "layer"}},
            },
            {
                "name": "shown",
                "transform": [{"filter": f"indexof({shown}, datum.x) >= 0"}],
                "mark": {"type": "circle", "fill": ACCENT, "opacity": 1, "size": 40, "clip": True},
                "encoding": {"y": {**y, "field": "layer"}},
            },
        ],
    }


def _units_view() -> dict[str, Any]:
    return {
        "name": "below",
        "width": PLOT_WIDTH,
        "height": UNITS_HEIGHT,
        # Steeper units reach higher: each is drawn in units of its own slope.
        "transform": [{"calculate": "datum.hidden / datum.weights.w", "as": "height"}],
        "mark": {"type": "line", "stroke": SECOND, "strokeWidth": 1.2, "opacity": 0.8, "clip": True},
        "encoding": {
            "x": _x("input"),
            "y": {
                "field": "height",
                "type": "quantitative",
                "title": "hidden units",
                "scale": {"domain": [-1, 6], "nice": False},
                "axis": {"tickCount": 3},
            },
            "detail": {"field": "unit", "type": "nominal"},
        },
    }


def _error_view() -> dict[str, Any]:
    return {
        "name": "worst",
        "width": PLOT_WIDTH,
        "height": 26,
        "transform": [
            {"aggregate": [{"op": "max", "field": "worst", "as": "worst"}]},
            {"calculate": "'largest distance from the target: ' + format(datum.worst, '.2f')", "as": "label"},
        ],
        "mark": {"type": "text", "fill": "currentColor", "fontSize": 14, "fontWeight": "bold"},
        "encoding": {"text": {"field": "label"}},
    }
