"""What a gradient at the output of attention does on its way back: a map of any of its stages, computed in the page."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .encoding_matrix import SECOND
from .figure import ACCENT, Figure, figure, json_numbers, radio, slider, token_label

CELL = 46  # pixels; wide enough for a signed number with two decimals
STAGES = ("weight", "d_weight", "d_score")
LABELS = ("weights A", "gradient of the weights", "gradient of the scores")
PARTS = ("d_query", "d_key", "d_value")


def gradient_map(
    d_output: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    tokens: Sequence[str],
    *,
    mask: np.ndarray | None = None,
    row: int = 0,
    description: str = "",
) -> Figure:
    """Interactive map of the backward pass of self-attention.

    A slider chooses which row of the output receives its gradient, or all of them; buttons choose the stage:
    the weights, their gradient, or that of the scores, with the sum of each row beside it. Below stands the
    length of the gradient that arrives at each token's query, key and value.

    Args:
        d_output: gradient of the loss by the output, (T, d_v).
        q: queries, (T, d_k).
        k: keys, (T, d_k).
        v: values, (T, d_v).
        tokens: T tokens.
        mask: True where a query may attend to a key, (T, T); every query sees a key.
        row: the row whose gradient is chosen at first; T for all rows.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if shapes and tokens disagree, or if a row of the mask is empty.

    Example:
        >>> one = np.ones((2, 1))
        >>> gradient_map(one, one, one, one, ["a", "b"], description="Two tokens, all alike.")
        Two tokens, all alike.
    """
    T = len(tokens)
    if not q.shape == k.shape == (T, q.shape[-1]) or not v.shape == d_output.shape == (T, v.shape[-1]):
        shapes = f"q {q.shape}, k {k.shape}, v {v.shape}, d_output {d_output.shape}"
        raise ValueError(f"{T} tokens need arrays of {T} rows, equal in pairs, got {shapes}")
    allowed = np.ones((T, T), dtype=bool) if mask is None else mask
    if allowed.shape != (T, T) or not allowed.any(axis=-1).all():
        raise ValueError(f"mask {allowed.shape} must be ({T}, {T}) and leave every query a key")
    if not 0 <= row <= T:
        raise ValueError(f"row={row} must be one of the {T} rows, or {T} for all")

    columns = {**_columns("q", q, 0), **_columns("g", d_output, 0), **_columns("k", k, 1), **_columns("v", v, 1)}
    rows = [
        {"query": t, "key": s, "seen": bool(allowed[t, s])}
        | {name: rows[(t, s)[axis]] for name, (axis, rows) in columns.items()}
        for t in range(T)
        for s in range(T)
    ]
    stops = [*tokens, "all rows"]
    body = {
        "data": {"name": "values", "values": rows},
        "params": _params(T, row, stops),
        "transform": _backward(T, q.shape[-1], v.shape[-1]),
        "vconcat": [{"hconcat": [_map(tokens), _sums(T)], "spacing": 8}, _arrivals(tokens, q.shape[-1], v.shape[-1])],
        "spacing": 16,
    }
    table = {
        "mark": "cells_marks",
        "value": "shown",
        "corner": "query",
        "columns": list(tokens),
        "rows": list(tokens),
    }
    return figure(description, table, body, outputs={"row": "row_name"})


def _columns(name: str, array: np.ndarray, axis: int) -> dict[str, tuple[int, list[float | None]]]:
    """Name the columns of an array, and say whether its rows belong to queries (0) or to keys (1)."""
    return {f"{name}{a}": (axis, json_numbers(array[:, a])) for a in range(array.shape[-1])}


def _params(T: int, row: int, stops: list[str]) -> list[dict[str, Any]]:
    return [
        slider("row", "The gradient comes in at output row", 0, T, row),
        {"name": "row_name", "expr": token_label("row", stops)},
        radio("stage", "Show", LABELS, 2),
    ]


def _dot(a: str, b: str, n: int) -> str:
    return " + ".join(f"datum.{a}{i} * datum.{b}{i}" for i in range(n))


def _total(source: str, name: str, *groupby: str, op: str = "sum") -> dict[str, Any]:
    return {"joinaggregate": [{"op": op, "field": source, "as": name}], "groupby": list(groupby)}


def _backward(T: int, d_k: int, d_v: int) -> list[dict[str, Any]]:
    """One step a line, as in the chapter: scores, weights, then back."""
    shown = f"[{', '.join(f'datum.{stage}' for stage in STAGES)}][stage]"
    return [
        {"calculate": f"datum.seen ? ({_dot('q', 'k', d_k)}) / {math.sqrt(d_k)!r} : null", "as": "score"},
        _total("score", "top", "query", op="max"),
        {"calculate": "datum.seen ? exp(datum.score - datum.top) : 0", "as": "exp"},
        _total("exp", "total", "query"),
        {"calculate": "datum.exp / datum.total", "as": "weight"},
        {"calculate": f"row === {T} || row === datum.query ? 1 : 0", "as": "on"},
        {"calculate": f"datum.seen ? datum.on * ({_dot('g', 'v', d_v)}) : 0", "as": "d_weight"},
        {"calculate": "datum.weight * datum.d_weight", "as": "term"},
        _total("term", "row_term", "query"),
        {"calculate": "datum.weight * (datum.d_weight - datum.row_term)", "as": "d_score"},
        {"calculate": shown, "as": "shown"},
        _total("shown", "row_sum", "query"),
        {"calculate": "abs(datum.shown)", "as": "size"},
        {"joinaggregate": [{"op": "max", "field": "size", "as": "largest"}]},
        # Three quarters at most, so that the number on top stays legible.
        {"calculate": "datum.largest > 0 ? 0.75 * datum.size / datum.largest : 0", "as": "opacity"},
    ]


def _axis(tokens: Sequence[str], field: str, title: str | None, **axis: Any) -> dict[str, Any]:
    label = token_label("datum.value", tokens)
    return {
        "field": field,
        "type": "ordinal",
        "title": title,
        "axis": {"labelExpr": label, "ticks": False, "domain": False, **axis},
    }


def _number(field: str, when: str = "true") -> dict[str, Any]:
    rounded = f"abs(datum.{field}) < 0.005 ? 0 : datum.{field}"  # so that no minus stands before a zero
    return {
        "transform": [{"calculate": f"{when} ? format({rounded}, '.2f') : ''", "as": "label"}],
        "mark": {"type": "text", "fill": "currentColor"},
        "encoding": {"text": {"field": "label"}},
    }


def _map(tokens: Sequence[str]) -> dict[str, Any]:
    return {
        "width": CELL * len(tokens),
        "height": CELL * len(tokens),
        "encoding": {
            "x": _axis(tokens, "key", "key", orient="top", labelAngle=-35),
            "y": _axis(tokens, "query", "query"),
        },
        "layer": [
            {
                "name": "cells",
                "mark": {"type": "rect", "stroke": "currentColor", "strokeWidth": 0.4},
                "encoding": {
                    "fill": {"condition": {"test": "datum.shown < 0", "value": SECOND}, "value": ACCENT},
                    "fillOpacity": {"field": "opacity", "type": "quantitative", "scale": None},
                },
            },
            {"name": "numbers", **_number("shown", "datum.seen")},
        ],
    }


def _sums(T: int) -> dict[str, Any]:
    number = _number("row_sum")
    sign = {"query": {"field": "query", "type": "ordinal", "axis": None}}
    return {
        "name": "sums",
        "width": CELL,
        "height": CELL * T,
        "title": {"text": "row sum", "fontSize": 13, "fontWeight": "normal", "color": "currentColor"},
        **number,
        "transform": [{"filter": "datum.key === 0"}, *number["transform"]],
        "encoding": {**number["encoding"], "y": sign["query"]},
    }


def _arrivals(tokens: Sequence[str], d_k: int, d_v: int) -> dict[str, Any]:
    """Lay out the length of each token's three gradients."""
    root = math.sqrt(d_k)
    transform: list[dict[str, Any]] = []
    for part, source, factor, by, n in (
        ("d_query", "d_score", "k", "query", d_k),
        ("d_key", "d_score", "q", "key", d_k),
        ("d_value", "weight", "g", "key", d_v),
    ):
        scale = "datum.on" if part == "d_value" else f"1 / {root!r}"
        for a in range(n):
            transform += [
                {"calculate": f"datum.{source} * datum.{factor}{a} * {scale}", "as": f"{part}_term{a}"},
                _total(f"{part}_term{a}", f"{part}{a}", by),
            ]
        squares = " + ".join(f"pow(datum.{part}{a}, 2)" for a in range(n))
        transform.append({"calculate": f"sqrt({squares})", "as": part})
    return {
        "width": CELL * len(tokens),
        "height": 30 * len(PARTS),
        # On the diagonal query and key are the same token.
        "transform": [
            *transform,
            {"filter": "datum.query === datum.key"},
            {"fold": list(PARTS), "as": ["part", "length"]},
            {"joinaggregate": [{"op": "max", "field": "length", "as": "longest"}]},
            {"calculate": "datum.longest > 0 ? 0.75 * datum.length / datum.longest : 0", "as": "opacity"},
        ],
        "encoding": {
            "x": _axis(tokens, "key", "length of the gradient that arrives", orient="bottom", labelAngle=-35),
            "y": {
                "field": "part",
                "type": "nominal",
                "sort": list(PARTS),
                "title": None,
                "axis": {"labelExpr": "slice(datum.value, 2)", "ticks": False, "domain": False},
            },
        },
        "layer": [
            {
                "name": "arrivals",
                "mark": {"type": "rect", "fill": ACCENT, "stroke": "currentColor", "strokeWidth": 0.4},
                "encoding": {"fillOpacity": {"field": "opacity", "type": "quantitative", "scale": None}},
            },
            {"name": "lengths", **_number("length")},
        ],
    }
