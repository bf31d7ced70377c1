"""Replace one token and see which outputs move: attention under several masks, computed in the page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearformer import functional as F

from .figure import ACCENT, Figure, figure, json_numbers, radio, slider, token_label

AHEAD = "#c2410c"  # an output that moves although it stands before the token that was replaced
CELL = 34  # pixels
BAR_WIDTH, LABEL_WIDTH = 46, 44  # a label stands behind its bar

QKV = tuple[np.ndarray, np.ndarray, np.ndarray]


def leak_map(
    before: QKV,
    after: QKV,
    tokens: Sequence[str],
    masks: Mapping[str, np.ndarray],
    *,
    token: int = 0,
    mask: int = 0,
    description: str = "",
) -> Figure:
    """Interactive map of attention weights while one token is replaced, and how far each output moves.

    A slider chooses the token; its query, key and value are taken from `after`, all others from `before`.
    A radio button chooses the mask. Scores, weights, outputs and distances are computed in the page.

    Args:
        before: queries (T, d_k), keys (T, d_k) and values (T, d_v) of the sequence.
        after: those that each token would have if it were replaced, in the same shapes.
        tokens: T names.
        masks: name and boolean (T, T) array of each mask; at least two.
        token: index of the token that is replaced at first.
        mask: number of the mask that is chosen at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if shapes and names disagree, if a mask is not boolean, if a number is not finite, or if
            a start does not exist.

    Example:
        >>> x = np.eye(2)
        >>> masks = {"none": np.ones((2, 2), dtype=bool), "causal": np.tri(2, dtype=bool)}
        >>> leak_map((x, x, x), (-x, -x, -x), "ab", masks, description="Two tokens.")
        Two tokens.
    """
    _check(before, after, tokens, masks, token, mask)
    body = {
        "data": {"name": "pairs", "values": _rows(before, after, masks)},
        "params": [
            slider("token", "Replace the token", 0, len(tokens) - 1, token),
            # The page shows the name that belongs to the slider.
            {"name": "token_name", "expr": token_label("token", tokens)},
            radio("mask", "Mask", list(masks), mask),
        ],
        "transform": _transform(before[2].shape[-1]),
        "hconcat": [_map_view(tokens), _bar_view(tokens, _furthest(before, after, masks))],
        "spacing": 14,
        "bounds": "flush",
    }
    table = {
        "mark": "bars_marks",
        "value": "moved",
        "corner": "output",
        "columns": ["moved by"],
        "rows": list(tokens),
    }
    return figure(description, table, body, outputs={"token": "token_name"})


def _check(
    before: QKV,
    after: QKV,
    tokens: Sequence[str],
    masks: Mapping[str, np.ndarray],
    token: int,
    mask: int,
) -> None:
    T = len(tokens)
    shapes, shapes_after = [a.shape for a in before], [a.shape for a in after]
    if shapes != shapes_after or shapes[0] != shapes[1] or any(len(s) != 2 or s[0] != T for s in shapes):
        raise ValueError(f"need q, k and v of {T} tokens, the same shapes twice, got {shapes} and {shapes_after}")
    if not all(np.isfinite(array).all() for array in (*before, *after)):
        raise ValueError("cannot draw queries, keys or values that are not finite")
    if len(masks) < 2:
        raise ValueError(f"a choice needs at least two masks, got {list(masks)}")
    for name, array in masks.items():
        if array.shape != (T, T) or array.dtype != np.bool_:
            raise ValueError(f"mask {name!r} must be boolean ({T}, {T}), got {array.dtype} {array.shape}")
    if not (0 <= token < T and 0 <= mask < len(masks)):
        raise ValueError(f"token={token} of {T} and mask={mask} of {len(masks)} must exist")


def _rows(before: QKV, after: QKV, masks: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """One row for each query and key: their score with neither, either or both replaced, and the key's values."""
    (q, k, v), (q2, k2, v2) = before, after
    scale = math.sqrt(k.shape[-1])
    return [
        {
            "query": t,
            "key": s,
            # Number 2·(query replaced) + (key replaced).
            # Summed exactly: a page made on another processor has the same numbers.
            "scores": [math.fsum(a[t] * b[s]) / scale for a in (q, q2) for b in (k, k2)],
            "values": json_numbers(v[s]),
            "values_after": json_numbers(v2[s]),
            "may": [bool(mask[t, s]) for mask in masks.values()],
        }
        for t, s in np.ndindex(len(q), len(k))
    ]


def _furthest(before: QKV, after: QKV, masks: Mapping[str, np.ndarray]) -> float:
    """The longest bar over all settings."""
    longest = 0.0
    for mask in masks.values():
        output, _ = F.scaled_dot_product_attention(*before, mask)  # (T, d_v)
        for token in range(len(output)):
            chosen = np.arange(len(output))[:, None] == token  # (T, 1)
            q, k, v = (np.where(chosen, new, old) for old, new in zip(before, after, strict=True))
            moved = F.scaled_dot_product_attention(q, k, v, mask)[0] - output
            longest = max(longest, float(np.linalg.norm(moved, axis=-1).max()))
    return float(f"{longest:.6g}")


def _transform(d_v: int) -> list[dict[str, Any]]:
    transform: list[dict[str, Any]] = [
        {"calculate": "datum.may[mask]", "as": "allowed"},
        {"calculate": "datum.key === token", "as": "replaced"},
        {"calculate": "datum.scores[0]", "as": "score_old"},
        {"calculate": "datum.scores[2 * (datum.query === token) + (datum.key === token)]", "as": "score_new"},
    ]
    for time in ("old", "new"):
        transform += _softmax(time)
    for time, values in (("old", "datum.values"), ("new", "(datum.replaced ? datum.values_after : datum.values)")):
        transform += [
            {"calculate": f"datum.weight_{time} * {values}[{i}]", "as": f"term_{time}_{i}"} for i in range(d_v)
        ]
        sums = [{"op": "sum", "field": f"term_{time}_{i}", "as": f"output_{time}_{i}"} for i in range(d_v)]
        transform.append({"joinaggregate": sums, "groupby": ["query"]})
    squares = " + ".join(f"pow(datum.output_new_{i} - datum.output_old_{i}, 2)" for i in range(d_v))
    return [*transform, {"calculate": f"sqrt({squares})", "as": "moved"}]


def _softmax(time: str) -> list[dict[str, Any]]:
    """Weights over the allowed keys of a row; a row without keys gets zeros."""
    logit, top, exp, total = (f"{name}_{time}" for name in ("logit", "top", "exp", "total"))
    return [
        {"calculate": f"datum.allowed ? datum.score_{time} : null", "as": logit},
        {"joinaggregate": [{"op": "max", "field": logit, "as": top}], "groupby": ["query"]},
        {"calculate": f"datum.allowed ? exp(datum.{logit} - datum.{top}) : 0", "as": exp},
        {"joinaggregate": [{"op": "sum", "field": exp, "as": total}], "groupby": ["query"]},
        {"calculate": f"datum.{total} > 0 ? datum.{exp} / datum.{total} : 0", "as": f"weight_{time}"},
    ]


def _map_view(tokens: Sequence[str]) -> dict[str, Any]:
    axis = {"labelExpr": token_label("datum.value", tokens), "ticks": False, "domain": False}
    return {
        "name": "map",
        "width": CELL * len(tokens),
        "height": CELL * len(tokens),
        "encoding": {
            "x": {
                "field": "key",
                "type": "ordinal",
                "title": "query (rows), key (columns)",
                "axis": {**axis, "orient": "top", "labelAngle": -45},
            },
            "y": {"field": "query", "type": "ordinal", "title": None, "axis": axis},
        },
        "layer": [
            {
                "name": "cells",
                "mark": {"type": "rect", "fill": ACCENT, "stroke": "currentColor"},
                "encoding": {
                    "fillOpacity": {"field": "weight_new", "type": "quantitative", "scale": None},
                    "strokeWidth": {"condition": {"test": "datum.replaced", "value": 2.5}, "value": 0.4},
                },
            },
            {
                "name": "numbers",
                "transform": [
                    {"calculate": "datum.allowed ? format(datum.weight_new, '.2f') : '–'", "as": "label"},
                ],
                "mark": {"type": "text", "fontSize": 12},
                "encoding": {
                    "text": {"field": "label"},
                    # White is legible on the accent only where it is nearly opaque.
                    "color": {
                        "condition": {"test": "datum.weight_new > 0.8", "value": "white"},
                        "value": "currentColor",
                    },
                },
            },
        ],
    }


def _bar_view(tokens: Sequence[str], furthest: float) -> dict[str, Any]:
    x = {
        "field": "moved",
        "type": "quantitative",
        "title": "moved by",
        # The replaced token itself moves most; the root leaves the others visible beside it.
        "scale": {"type": "sqrt", "domain": [0, furthest or 1], "range": [0, BAR_WIDTH]},
        "axis": {"orient": "top", "labels": False, "ticks": False, "domain": False},
    }
    return {
        "name": "movement",
        "width": BAR_WIDTH + LABEL_WIDTH,
        "height": CELL * len(tokens),
        "transform": [
            {"filter": "datum.key === 0"},
            {"calculate": "datum.query < token && datum.moved > 1e-12", "as": "ahead"},
        ],
        "encoding": {"y": {"field": "query", "type": "ordinal", "axis": None}, "x": x},
        "layer": [
            {
                "name": "bars",
                "mark": {"type": "bar", "height": CELL / 2},
                "encoding": {"fill": {"condition": {"test": "datum.ahead", "value": AHEAD}, "value": ACCENT}},
            },
            {
                "name": "lengths",
                "transform": [
                    {"calculate": "format(datum.moved, '.2f') + (datum.ahead ? ' !' : '')", "as": "label"},
                ],
                "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 12, "fill": "currentColor"},
                "encoding": {"text": {"field": "label"}},
            },
        ],
    }
