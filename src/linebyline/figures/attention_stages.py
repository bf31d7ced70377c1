"""Heads while they learn: one map of attention weights for each stage of training, layer and head."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .figure import ACCENT, Figure, figure, json_numbers, slider, token_label

CELL = 22  # pixels
BAR = 40


def attention_stages(
    weights: np.ndarray,
    stages: Sequence[str],
    tokens: Sequence[str],
    targets: Mapping[str, np.ndarray],
    *,
    stage: int = 0,
    layer: int = 0,
    head: int = 0,
    description: str = "",
) -> Figure:
    """Interactive maps of causal attention at several stages of training, one at a time.

    Below the map two bars or more say which share of the attention goes to a target: its mean over the
    queries that have one, computed in the page.

    Args:
        weights: (n_stages, n_layers, n_heads, T, T), each at least 0.
        stages: name of each stage.
        tokens: T tokens, down the side and along the top.
        targets: name of each target and the key it means for each query, (T,); -1 where there is none.
            The keys of the last one are outlined in the map.
        stage: the stage shown at first.
        layer: the layer shown at first.
        head: the head shown at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if shapes, stages and tokens disagree, if a weight is negative, or if a target is no key.

    Example:
        >>> target = {"itself": np.arange(2)}
        >>> attention_stages(np.ones((2, 1, 1, 2, 2)), ["early", "late"], ["a", "b"], target, description="Two maps.")
        Two maps.
    """
    T = len(tokens)
    if weights.ndim != 5 or weights.shape[0] != len(stages) or weights.shape[3:] != (T, T):
        raise ValueError(
            f"expected weights (n_stages={len(stages)}, n_layers, n_heads, T={T}, T={T}), got {weights.shape}"
        )
    if (weights < 0).any():
        raise ValueError(f"weights must be at least 0, the smallest is {weights.min()}")
    for name, target in targets.items():
        if target.shape != (T,) or target.min() < -1 or target.max() >= T:
            raise ValueError(f"target {name!r} must name one of T={T} keys, or -1, for each query, got {target}")
    n_stages, n_layers, n_heads = weights.shape[:3]
    last = list(targets.values())[-1]
    # A cell carries its weight in all the maps: far fewer rows than one for each map.
    by_cell = weights.reshape(-1, T, T)  # (maps, T, T)
    rows = [
        {"query": t, "key": s, "maps": json_numbers(by_cell[:, t, s].round(4)), "marked": bool(last[t] == s)}
        for t in range(T)
        for s in range(T)
    ]
    body = {
        "data": {"name": "values", "values": rows},
        "params": [
            slider("stage", "Stage of training", 0, n_stages - 1, stage),
            slider("layer", "Layer", 0, n_layers - 1, layer),
            slider("head", "Head", 0, n_heads - 1, head),
            {"name": "stage_name", "expr": f"{token_label('stage', stages)}"},
        ],
        "transform": [
            {"calculate": f"datum.maps[(stage * {n_layers} + layer) * {n_heads} + head]", "as": "weight"},
        ],
        "vconcat": [_map_view(tokens), _target_view(targets, CELL * T)],
        "spacing": 18,
    }
    table = {
        "mark": "cells_marks",
        "value": "weight",
        "corner": "query",
        "columns": list(tokens),
        "rows": list(tokens),
    }
    return figure(description, table, body, outputs={"stage": "stage_name"})


def _map_view(tokens: Sequence[str]) -> dict[str, Any]:
    axis = {"labelExpr": token_label("datum.value", tokens), "ticks": False, "domain": False, "labelAngle": 0}
    # A word is wider than a cell.
    along = {"orient": "top", "labelAngle": -90 if max(map(len, tokens)) > 2 else 0}
    return {
        "name": "map",
        "width": CELL * len(tokens),
        "height": CELL * len(tokens),
        "encoding": {
            "x": {"field": "key", "type": "ordinal", "title": "key", "axis": {**axis, **along}},
            "y": {"field": "query", "type": "ordinal", "title": "query", "axis": axis},
        },
        "layer": [
            {
                "name": "cells",
                "mark": {"type": "rect", "fill": ACCENT, "stroke": "currentColor", "strokeWidth": 0.3},
                "encoding": {"fillOpacity": {"field": "weight", "type": "quantitative", "scale": None}},
            },
            {
                "name": "marked",
                "transform": [{"filter": "datum.marked"}],
                "mark": {"type": "rect", "fill": None, "stroke": "currentColor", "strokeWidth": 2},
            },
        ],
    }


def _target_view(targets: Mapping[str, np.ndarray], width: int) -> dict[str, Any]:
    """Average the weight on each target: the cells that belong to it, listed in an expression."""
    wide = [f"datum.key === {target.tolist()}[datum.query] ? datum.weight : null" for target in targets.values()]
    fields = [f"target_{i}" for i in range(len(wide))]
    return {
        "name": "targets",
        "width": width,
        "height": BAR * len(targets),
        "transform": [
            *({"calculate": expression, "as": field} for expression, field in zip(wide, fields, strict=True)),
            {"fold": fields, "as": ["target", "share"]},
            {"filter": "datum.share !== null"},
            {"aggregate": [{"op": "mean", "field": "share", "as": "share"}], "groupby": ["target"]},
            {"calculate": f"indexof({fields}, datum.target)", "as": "number"},
            {"calculate": f"'mean weight on the ' + {token_label('datum.number', list(targets))}", "as": "label"},
        ],
        "encoding": {
            "y": {"field": "number", "type": "ordinal", "axis": None},
            "x": {
                "field": "share",
                "type": "quantitative",
                "title": None,
                "scale": {"domain": [0, 1]},
                "axis": {"values": [0, 0.5, 1]},
            },
        },
        "layer": [
            {
                "name": "targets",
                "mark": {"type": "bar", "fill": ACCENT, "height": {"band": 0.4}, "yOffset": 9},
            },
            {
                "name": "names",
                "mark": {"type": "text", "fill": "currentColor", "align": "left", "dy": -9},
                "encoding": {
                    "x": {"value": 0},
                    "text": {"field": "label"},
                },
            },
        ],
    }
