"""Causal attention block by block: which blocks are computed, and what one query has gathered so far."""

from typing import Any

import numpy as np

from .figure import ACCENT, Figure, figure, json_numbers, slider

CELL = 20  # pixels
LINE = 19  # pixels


def block_steps(
    scores: np.ndarray,
    values: np.ndarray,
    chunk: int,
    *,
    query: int = 0,
    taken: int = 1,
    description: str = "",
) -> Figure:
    """Interactive map of a causal score matrix in blocks, and the partial results of one query.

    A slider chooses the query, another how many blocks of keys its row has taken. Below the map stand, for each of
    these blocks, its largest score, its sum of exponentials and the factor that brings it to the common maximum,
    then maximum, sum and output of the blocks together, and the output of the whole row. All of this is computed
    in the page, by merging blocks.

    Args:
        scores: scaled scores, (T, T).
        values: one number for each key, (T,).
        chunk: queries, and keys, in a block.
        query: the query that is chosen at first.
        taken: number of blocks that it has taken at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if the shapes do not fit, ``chunk`` does not divide T, a number is not finite, or a start does
            not exist.

    Example:
        >>> block_steps(np.zeros((4, 4)), np.arange(4.0), 2, description="Four blocks.")
        Four blocks.
    """
    T = len(values)
    if scores.shape != (T, T) or values.ndim != 1:
        raise ValueError(f"scores {scores.shape} must be (T, T) for values {values.shape}")
    if chunk < 1 or T % chunk:
        raise ValueError(f"chunk={chunk} must divide T={T}")
    if not (np.isfinite(scores).all() and np.isfinite(values).all()):
        raise ValueError("cannot draw scores or values that are not finite")
    blocks = T // chunk
    if not (0 <= query < T and 1 <= taken <= blocks):
        raise ValueError(f"query={query} of {T} and taken={taken} of {blocks} must exist")
    numbers = json_numbers(scores)
    rows = [
        {"query": t, "key": s, "block": s // chunk, "score": numbers[t * T + s], "value": float(values[s])}
        for t, s in np.ndindex(T, T)
    ]
    body = {
        "data": {"name": "pairs", "values": rows},
        "params": [
            slider("query", "Query", 0, T - 1, query),
            slider("taken", "Blocks of keys taken", 1, blocks, taken),
            {"name": "row_of_blocks", "expr": f"floor(query / {chunk})"},
        ],
        "vconcat": [_map_view(T, chunk), _partial_view(T, chunk), _running_view(T)],
        "spacing": 6,
        "bounds": "flush",
    }
    table = {
        "mark": "running_marks",
        "value": ["largest", "sum", "output", "whole"],
        "corner": "",
        "columns": ["maximum so far", "sum so far", "output so far", "output of the whole row"],
        "rows": ["chosen query"],
    }
    return figure(description, table, body)


def _map_view(T: int, chunk: int) -> dict[str, Any]:
    """Cells with their state: skipped, done, now or waiting; those of the query show e to the score minus maximum."""
    axis = {"ticks": False, "domain": False, "labelAngle": 0}
    return {
        "name": "map",
        "width": CELL * T,
        "height": CELL * T,
        "transform": [
            {"calculate": f"floor(datum.query / {chunk})", "as": "row"},
            {
                "calculate": "datum.block > datum.row ? 'skipped' : datum.row < row_of_blocks ? 'done'"
                " : datum.row > row_of_blocks || datum.block >= taken ? 'waiting'"
                " : datum.block === taken - 1 ? 'now' : 'done'",
                "as": "state",
            },
            {"calculate": "datum.key > datum.query", "as": "hidden"},
            {"calculate": "datum.query === query && !datum.hidden && datum.block < taken", "as": "gathered"},
            {"calculate": "datum.gathered ? datum.score : null", "as": "seen"},
            {"joinaggregate": [{"op": "max", "field": "seen", "as": "top"}]},
            {"calculate": "datum.gathered ? exp(datum.score - datum.top) : 0", "as": "e"},
            {
                "calculate": "datum.gathered ? 0.15 + 0.85 * datum.e : datum.hidden ? 0"
                " : datum.state === 'now' ? 0.45 : datum.state === 'done' ? 0.2 : 0",
                "as": "shade",
            },
        ],
        "encoding": {
            "x": {"field": "key", "type": "ordinal", "title": "key", "axis": {**axis, "orient": "top"}},
            "y": {"field": "query", "type": "ordinal", "title": "query", "axis": axis},
        },
        "layer": [
            {
                "name": "cells",
                "mark": {"type": "rect", "fill": ACCENT, "stroke": "currentColor"},
                "encoding": {
                    "fillOpacity": {"field": "shade", "type": "quantitative", "scale": None},
                    "strokeWidth": {
                        "condition": {"test": "datum.query === query && datum.state !== 'skipped'", "value": 1.6},
                        "value": 0.3,
                    },
                    "strokeOpacity": {"condition": {"test": "datum.state === 'skipped'", "value": 0.25}, "value": 1},
                },
            },
            {
                "name": "crosses",
                "transform": [
                    {
                        "filter": f"datum.state === 'skipped' && datum.key % {chunk} === {chunk // 2}"
                        f" && datum.query % {chunk} === {chunk // 2}"
                    }
                ],
                "mark": {"type": "text", "text": "×", "fill": "currentColor", "fontSize": 18},
            },
        ],
    }


def _merged() -> list[dict[str, Any]]:
    """One row for each block that the query has taken: its maximum, sum and weighted values, and the factor."""
    return [
        {"filter": "datum.query === query && datum.key <= datum.query"},
        {"joinaggregate": [{"op": "max", "field": "score", "as": "top"}]},
        {"calculate": "exp(datum.score - datum.top)", "as": "e"},
        {"calculate": "datum.e * datum.value", "as": "ev"},
        {"joinaggregate": [{"op": "sum", "field": "e", "as": "all_e"}, {"op": "sum", "field": "ev", "as": "all_ev"}]},
        {"calculate": "datum.all_ev / datum.all_e", "as": "whole"},
        {"filter": "datum.block < taken"},
        {"joinaggregate": [{"op": "max", "field": "score", "as": "block_top"}], "groupby": ["block"]},
        {"calculate": "exp(datum.score - datum.block_top)", "as": "part"},
        {"calculate": "datum.part * datum.value", "as": "part_v"},
        {
            "aggregate": [
                {"op": "max", "field": "block_top", "as": "m"},
                {"op": "sum", "field": "part", "as": "l"},
                {"op": "sum", "field": "part_v", "as": "o"},
                {"op": "max", "field": "whole", "as": "whole"},
            ],
            "groupby": ["block"],
        },
        {"joinaggregate": [{"op": "max", "field": "m", "as": "largest"}]},
        {"calculate": "exp(datum.m - datum.largest)", "as": "factor"},
    ]


def _partial_view(T: int, chunk: int) -> dict[str, Any]:
    """Three numbers below each block of keys."""
    lines = {"m": "largest", "l": "sum", "factor": "factor"}
    return {
        "width": CELL * T,
        "height": LINE * len(lines),
        "transform": [
            *_merged(),
            {"calculate": f"(datum.block + 0.5) * {chunk}", "as": "middle"},
            {"fold": list(lines), "as": ["line", "number"]},
        ],
        "layer": [
            {
                "name": "partials",
                "mark": {"type": "text", "fill": "currentColor", "fontSize": 12},
                "encoding": {
                    "x": {
                        "field": "middle",
                        "type": "quantitative",
                        "scale": {"domain": [0, T], "nice": False},
                        "axis": None,
                    },
                    "y": {
                        "field": "line",
                        "type": "ordinal",
                        "title": None,
                        "scale": {"domain": list(lines)},
                        "axis": {
                            "labelExpr": f"{lines}[datum.value]",
                            "ticks": False,
                            "domain": False,
                        },
                    },
                    "text": {"field": "number", "type": "quantitative", "format": ".2f"},
                },
            }
        ],
    }


def _running_view(T: int) -> dict[str, Any]:
    """What the blocks taken so far make together, in words."""
    words = (
        "'m ' + format(datum.largest, '.2f') + ', l ' + format(datum.sum, '.2f')"
        " + ', output ' + format(datum.output, '.3f') + ', whole row ' + format(datum.whole, '.3f')"
    )
    return {
        "width": CELL * T,
        "height": LINE,
        "transform": [
            *_merged(),
            {"calculate": "datum.l * datum.factor", "as": "scaled_l"},
            {"calculate": "datum.o * datum.factor", "as": "scaled_o"},
            {
                "aggregate": [
                    {"op": "max", "field": "largest", "as": "largest"},
                    {"op": "sum", "field": "scaled_l", "as": "sum"},
                    {"op": "sum", "field": "scaled_o", "as": "weighted"},
                    {"op": "max", "field": "whole", "as": "whole"},
                ]
            },
            {"calculate": "datum.weighted / datum.sum", "as": "output"},
            {"calculate": words, "as": "words"},
        ],
        "layer": [
            {
                "name": "running",
                "mark": {"type": "text", "fill": "currentColor", "fontSize": 12, "align": "left"},
                "encoding": {"x": {"value": -48}, "text": {"field": "words"}},
            }
        ],
    }
