"""A number for each layer of a model, in two variants, while a slider changes the depth of the model."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .encoding_matrix import SECOND
from .figure import ACCENT, Figure, figure, json_numbers, slider

PLOT_WIDTH, PLOT_HEIGHT = 300, 220


def gradients_by_depth(
    gradients: Mapping[str, Sequence[np.ndarray]], *, start: int = 0, description: str = ""
) -> Figure:
    """Interactive plot of a number for each layer, for two variants of a model; a slider chooses the depth.

    Args:
        gradients: for each variant, by its name, one array for each depth: the layers' numbers, first to last.
        start: the depth that is shown at first, counted from 0.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if there are not two variants of the same depths, or the start is none of them.

    Example:
        >>> gradients_by_depth({"a": [np.ones(2), np.ones(4)], "b": [np.ones(2), np.ones(4)]}, description="Lines.")
        Lines.
    """
    lengths = {name: [len(array) for array in arrays] for name, arrays in gradients.items()}
    if len(lengths) != 2 or len({tuple(each) for each in lengths.values()}) != 1:
        raise ValueError(f"need two variants with the same depths, got {lengths}")
    depths = next(iter(lengths.values()))
    if not 0 <= start < len(depths):
        raise ValueError(f"start={start} must be one of the {len(depths)} depths {depths}")
    points = [
        {"variant": variant, "depth": depth, "layer": layer + 1, "value": value, "last": layer + 1 == len(array)}
        for variant, arrays in gradients.items()
        for depth, array in enumerate(arrays)
        for layer, value in enumerate(json_numbers(np.round(array, 4)))
    ]
    top = 1.1 * max(float(np.max(array)) for arrays in gradients.values() for array in arrays)
    body = {
        "data": {"name": "points", "values": points},
        "params": [
            slider("depth", "Depth", 0, len(depths) - 1, start),
            {"name": "layers", "expr": f"{depths}[depth] + ' blocks'"},
        ],
        "transform": [{"filter": "datum.depth === depth"}],
        "width": PLOT_WIDTH,
        "height": PLOT_HEIGHT,
        "encoding": {
            "x": {
                "field": "layer",
                "type": "quantitative",
                "title": "block",
                # Room on the right for the name of a variant beside its last dot.
                "scale": {"domain": [0, 1.32 * max(depths)], "nice": False},
                "axis": {"values": depths},
            },
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "gradient norm",
                "scale": {"domain": [0, top], "nice": False},
                "axis": {"tickCount": 5},
            },
        },
        "layer": _lines(list(gradients)),
    }
    table = {
        "mark": "ends_marks",
        "value": "value",
        "corner": "variant",
        "columns": ["first block", "last block"],
        "rows": list(gradients),
    }
    return figure(description, table, body, outputs={"depth": "layers"})


def _lines(variants: Sequence[str]) -> list[dict[str, Any]]:
    color = {"condition": {"test": f"datum.variant === '{variants[1]}'", "value": SECOND}, "value": ACCENT}
    detail = {"field": "variant", "type": "nominal"}
    ends = [{"filter": "datum.layer === 1 || datum.last"}]
    return [
        {"name": "lines", "mark": {"type": "line"}, "encoding": {"stroke": color, "detail": detail}},
        {"name": "dots", "mark": {"type": "circle", "opacity": 1, "size": 30}, "encoding": {"fill": color}},
        {
            "name": "ends",
            "transform": ends,
            "mark": {"type": "circle", "opacity": 1, "size": 90},
            "encoding": {"fill": color},
        },
        {
            "name": "names",
            "transform": [{"filter": "datum.last"}],
            "mark": {"type": "text", "fill": "currentColor", "align": "left", "dx": 9},
            "encoding": {"text": {"field": "variant"}},
        },
    ]
