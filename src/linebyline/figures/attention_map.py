"""Who attends to whom: a map of attention weights with sliders, drawn and computed in the page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .figure import ACCENT, Figure, figure, json_numbers, slider, token_label

CELL = 46  # pixels; wide enough for a weight with two decimals
BAR_HEIGHT = 90


def attention_map(
    weights: np.ndarray | None = None,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    *,
    scores: np.ndarray | None = None,
    scale: Mapping[str, float] | None = None,
    start: str | None = None,
    query: int = 0,
    head_names: Sequence[str] = (),
    description: str = "",
) -> Figure:
    """Interactive map of attention weights: one row a query, one column a key, and the chosen row as bars.

    Give `weights` to show them as they are, or `scores` and a `scale` to compute
    softmax(factor · scores) in the page while a slider moves the factor from one named stop to the next.

    Args:
        weights: (T, S), (n_heads, T, S) or (n_layers, n_heads, T, S), each at least 0.
        queries: T tokens, named down the side.
        keys: S tokens, named along the top.
        scores: unscaled logits in one of the shapes above; -inf where masked.
        scale: name and factor of each stop of the slider, in order; at least two.
        start: the stop where the slider stands at first; the first one if not given.
        query: index of the query whose row is shown at first.
        head_names: a name of each head, shown beside the slider that chooses one.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if not exactly one of `weights` and `scores` is given, if shapes and tokens disagree,
            if a weight is negative, or if `scale` and `start`, or the names of the heads, do not fit.

    Example:
        >>> attention_map(np.eye(2), ["a", "b"], ["a", "b"], description="Each token sees itself.")
        Each token sees itself.
    """
    values = _values(weights, scores, scale)
    _check_tokens(values, queries, keys, query)
    n_layers, n_heads, _, S = values.shape
    if head_names and (n_heads == 1 or len(head_names) != n_heads):
        raise ValueError(f"n_heads={n_heads} but {len(head_names)} heads are named, and one head has no slider")
    names, factors, position = _check_scale(scale, start) if scale is not None else ([], [], 0)

    rows = [
        {"layer": layer, "head": head, "query": t, "key": s, "value": value}
        for (layer, head, t, s), value in zip(np.ndindex(*values.shape), json_numbers(values), strict=True)
    ]
    params: list[dict[str, Any]] = []
    params += [slider("layer", "Layer", 0, n_layers - 1, 0)] if n_layers > 1 else []
    params += [slider("head", "Head", 0, n_heads - 1, 0)] if n_heads > 1 else []
    params += [{"name": "head_name", "expr": token_label("head", head_names)}] if head_names else []
    params += _scale_params(factors, position) if factors else []
    body = {
        "data": {"name": "values", "values": rows},
        "params": params,
        "transform": _transform(n_layers, n_heads, scaled=scale is not None),
        "vconcat": [_map_view(queries, keys, query), _bar_view(keys, S)],
        "spacing": 12,
    }
    table = {
        "mark": "cells_marks",
        "value": "weight",
        "corner": "query",
        "columns": list(keys),
        "rows": list(queries),
    }
    meta: dict[str, Any] = {"stops": {"position": names}} if names else {}
    outputs = {"head": "head_name"} if head_names else {}
    outputs |= {"position": "factor"} if names else {}
    meta |= {"outputs": outputs} if outputs else {}
    return figure(description, table, body, **meta)


def _values(weights: Any, scores: Any, scale: Any) -> np.ndarray:
    if (weights is None) == (scores is None):
        raise ValueError("give either weights or scores, not both and not neither")
    if (scores is None) != (scale is None):
        raise ValueError("scores need a scale, and a scale needs scores")
    values = np.asarray(weights if scores is None else scores, dtype=float)
    if not 2 <= values.ndim <= 4:
        raise ValueError(f"expected (T, S), (n_heads, T, S) or (n_layers, n_heads, T, S), got {values.shape}")
    if scores is None and (values < 0).any():
        raise ValueError(f"weights must be at least 0, the smallest is {values.min()}")
    return values.reshape((1,) * (4 - values.ndim) + values.shape)  # (n_layers, n_heads, T, S)


def _check_tokens(values: np.ndarray, queries: Sequence[str], keys: Sequence[str], query: int) -> None:
    T, S = values.shape[-2:]
    if (len(queries), len(keys)) != (T, S):
        raise ValueError(f"(T, S)=({T}, {S}) but {len(queries)} queries and {len(keys)} keys are named")
    if not 0 <= query < T:
        raise ValueError(f"query={query} must be one of the {T} rows")


def _check_scale(scale: Mapping[str, float], start: str | None) -> tuple[list[str], list[float], int]:
    names, factors = list(scale), [float(factor) for factor in scale.values()]
    if len(names) < 2:
        raise ValueError(f"a slider needs at least two stops, got {names}")
    if start is not None and start not in scale:
        raise ValueError(f"start={start!r} is none of the stops {names}")
    return names, factors, names.index(start) if start else 0


def _scale_params(factors: list[float], start: int) -> list[dict[str, Any]]:
    last = len(factors) - 1
    between = f"min(floor(position), {last - 1})"
    return [
        slider("position", "Factor on the scores", 0, last, start, 0.02),
        # Linear between two stops, and exact at each of them.
        {
            "name": "factor",
            "expr": f"{factors}[{between}] * (1 - (position - {between}))"
            f" + {factors}[{between} + 1] * (position - {between})",
        },
    ]


def _transform(n_layers: int, n_heads: int, *, scaled: bool) -> list[dict[str, Any]]:
    transform: list[dict[str, Any]] = []
    transform += [{"filter": "datum.layer === layer"}] if n_layers > 1 else []
    transform += [{"filter": "datum.head === head"}] if n_heads > 1 else []
    if not scaled:
        return [*transform, {"calculate": "datum.value", "as": "weight"}]
    row = ["layer", "head", "query"]
    return [
        *transform,
        {"calculate": "datum.value === null ? null : factor * datum.value", "as": "logit"},
        {"joinaggregate": [{"op": "max", "field": "logit", "as": "top"}], "groupby": row},
        {"calculate": "datum.logit === null ? 0 : exp(datum.logit - datum.top)", "as": "exp"},
        {"joinaggregate": [{"op": "sum", "field": "exp", "as": "total"}], "groupby": row},
        {"calculate": "datum.total > 0 ? datum.exp / datum.total : 0", "as": "weight"},
    ]


def _map_view(queries: Sequence[str], keys: Sequence[str], query: int) -> dict[str, Any]:
    row = {
        "name": "row",
        "select": {
            "type": "point",
            "fields": ["query"],
            "on": {"source": "view", "type": "pointerover", "markname": "cells_marks"},
            "clear": False,
            "toggle": False,
        },
        "value": [{"query": query}],
        "bind": {
            "query": {
                "input": "radio",
                "name": "Query ",
                "options": list(range(len(queries))),
                "labels": list(queries),
            }
        },
    }
    return {
        "name": "cells",
        "width": CELL * len(keys),
        "height": CELL * len(queries),
        "encoding": {
            "x": _key_axis(keys, orient="top", title="key"),
            "y": {
                "field": "query",
                "type": "ordinal",
                "title": "query",
                "axis": {"labelExpr": token_label("datum.value", queries), "ticks": False, "domain": False},
            },
        },
        "layer": [
            {
                "name": "cells",
                "params": [row],
                "mark": {"type": "rect", "fill": ACCENT, "stroke": "currentColor"},
                "encoding": {
                    "fillOpacity": {"field": "weight", "type": "quantitative", "scale": None},
                    "strokeWidth": {
                        "condition": {"param": "row", "empty": False, "value": 2.5},
                        "value": 0.4,
                    },
                },
            },
            {"name": "numbers", "mark": "text", "encoding": _number_encoding()},
        ],
    }


def _number_encoding() -> dict[str, Any]:
    return {
        "text": {"field": "weight", "type": "quantitative", "format": ".2f"},
        # White is legible on the accent only where it is nearly opaque.
        "color": {"condition": {"test": "datum.weight > 0.8", "value": "white"}, "value": "currentColor"},
    }


def _bar_view(keys: Sequence[str], S: int) -> dict[str, Any]:
    return {
        "name": "bars",
        "width": CELL * S,
        "height": BAR_HEIGHT,
        "transform": [{"filter": {"param": "row", "empty": False}}],
        "mark": {"type": "bar", "fill": ACCENT},
        "encoding": {
            "x": _key_axis(keys, orient="bottom", title=None),
            "y": {
                "field": "weight",
                "type": "quantitative",
                "title": "weight",
                "scale": {"domain": [0, 1]},
                "axis": {"values": [0, 0.5, 1]},
            },
        },
    }


def _key_axis(keys: Sequence[str], *, orient: str, title: str | None) -> dict[str, Any]:
    return {
        "field": "key",
        "type": "ordinal",
        "title": title,
        "axis": {
            "orient": orient,
            "labelExpr": token_label("datum.value", keys),
            "labelAngle": -35,
            "ticks": False,
            "domain": False,
        },
    }
