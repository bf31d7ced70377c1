"""The backward pass of attention from the gradient at its output: a map of each step, computed in the page."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .figure import Figure, draw

CELL = 46  # pixels; wide enough for a signed number with two decimals
SPEC = """
data: {name: values, values: $rows}
params:
  - {slider: row, label: The gradient comes in at output row, from: 0, to: $T, at: $row, shows: row_name}
  - {name: row_name, expr: "$stops[row]"}
  - {radio: stage, label: Show, options: [weights A, gradient of the weights, gradient of the scores], at: 2}
transform:
  # One step on each line, as in the chapter: scores, weights, then back.
  - {calculate: {score: "datum.seen ? ($q_k) / $root : null"}}
  - {joinaggregate: [{op: max, field: score, as: top}], groupby: [query]}
  - {calculate: {exp: "datum.seen ? exp(datum.score - datum.top) : 0"}}
  - {joinaggregate: [{op: sum, field: exp, as: total}], groupby: [query]}
  - calculate:
      weight: datum.exp / datum.total
      "on": "row === $T || row === datum.query ? 1 : 0"
      d_weight: "datum.seen ? datum.on * ($g_v) : 0"
      term: datum.weight * datum.d_weight
  - {joinaggregate: [{op: sum, field: term, as: row_term}], groupby: [query]}
  - calculate:
      d_score: datum.weight * (datum.d_weight - datum.row_term)
      shown: "[datum.weight, datum.d_weight, datum.d_score][stage]"
  - {joinaggregate: [{op: sum, field: shown, as: row_sum}], groupby: [query]}
  - {calculate: {size: abs(datum.shown)}}
  - {joinaggregate: [{op: max, field: size, as: largest}]}
  # Three quarters at most, so that the number on top stays legible.
  - {calculate: {opacity: "datum.largest > 0 ? 0.75 * datum.size / datum.largest : 0"}}
vconcat:
  - hconcat:
      - width: $width
        height: $width
        encoding:
          x:
            field: key:O
            title: key
            axis: {labelExpr: "$tokens[datum.value]", ticks: false, domain: false, orient: top, labelAngle: -35}
          y: {field: query:O, title: query, axis: {labelExpr: "$tokens[datum.value]", ticks: false, domain: false}}
        layer:
          - name: cells
            mark: {type: rect, stroke: currentColor, strokeWidth: 0.4}
            encoding:
              fill: {condition: {test: datum.shown < 0, value: $second}, value: $accent}
              fillOpacity: {field: opacity:Q, scale: null}
          # Rounded first, so that no minus is in front of a zero.
          - name: numbers
            transform:
              - calculate:
                  label: >-
                    datum.seen && (stage === 0 || datum.on)
                    ? format(abs(datum.shown) < 0.005 ? 0 : datum.shown, '.2f') : ''
            mark: {type: text, fill: currentColor}
            encoding: {text: {field: label}}
      - name: sums
        width: $cell
        height: $width
        title: {text: row sum, fontSize: 13, fontWeight: normal, color: currentColor}
        transform:
          - {filter: datum.key === 0}
          - calculate: {label: "true ? format(abs(datum.row_sum) < 0.005 ? 0 : datum.row_sum, '.2f') : ''"}
        mark: {type: text, fill: currentColor}
        encoding: {text: {field: label}, y: {field: query:O, axis: null}}
    spacing: 8
  - width: $width
    height: 90
    transform:
      - $arrivals
      - {filter: datum.query === datum.key}  # on the diagonal query and key are the same token
      - {fold: [d_query, d_key, d_value], as: [part, length]}
      - {joinaggregate: [{op: max, field: length, as: longest}]}
      - {calculate: {opacity: "datum.longest > 0 ? 0.75 * datum.length / datum.longest : 0"}}
    encoding:
      x:
        field: key:O
        title: length of the gradient that arrives
        axis: {labelExpr: "$tokens[datum.value]", ticks: false, domain: false, orient: bottom, labelAngle: -35}
      y:
        field: part:N
        sort: [d_query, d_key, d_value]
        title: null
        axis: {labelExpr: "slice(datum.value, 2)", ticks: false, domain: false}
    layer:
      - name: arrivals
        mark: {type: rect, fill: gray, stroke: currentColor, strokeWidth: 0.4}
        encoding: {fillOpacity: {field: opacity:Q, scale: null}}
      - name: lengths
        transform:
          - calculate: {label: "true ? format(abs(datum.length) < 0.005 ? 0 : datum.length, '.2f') : ''"}
        mark: {type: text, fill: currentColor}
        encoding: {text: {field: label}}
spacing: 16
table: {mark: cells_marks, value: shown, corner: query, columns: $tokens, rows: $tokens}
"""


def gradient_map(
    d_output: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    tokens: Sequence[str],
    *,
    mask: np.ndarray | None = None,
    row: int = 0,
    description: str,
) -> Figure:
    """Map (T, T) of the backward pass of self-attention, for q and k (T, d_k), v and the output's gradient (T, d_v).

    A slider chooses which row of the output receives its gradient, or all of them (``row`` is T). Buttons choose the
    step: the weights, their gradient, or that of the scores, with the sum of each row beside it. Below is the length
    of the gradient that arrives at each token's query, key and value. ``mask`` (T, T) is True where a query may
    attend to a key.
    """
    T, d_k, d_v = len(tokens), q.shape[-1], v.shape[-1]
    allowed = np.ones((T, T), dtype=bool) if mask is None else mask
    rows = [
        {"query": t, "key": s, "seen": bool(allowed[t, s])}
        | {f"{name}{i}": float(x) for name, part in (("q", q[t]), ("g", d_output[t])) for i, x in enumerate(part)}
        | {f"{name}{i}": float(x) for name, part in (("k", k[s]), ("v", v[s])) for i, x in enumerate(part)}
        for t, s in np.ndindex(T, T)
    ]
    scale = f"1 / {math.sqrt(d_k)}"
    arrivals = [
        *_arrival("d_query", "d_score", "k", scale, "query", d_k),
        *_arrival("d_key", "d_score", "q", scale, "key", d_k),
        *_arrival("d_value", "weight", "g", "datum.on", "key", d_v),
    ]
    names = {"tokens": list(tokens), "stops": [*tokens, "all rows"]}
    q_k = " + ".join(f"datum.q{i} * datum.k{i}" for i in range(d_k))
    g_v = " + ".join(f"datum.g{i} * datum.v{i}" for i in range(d_v))
    sizes = {"T": T, "root": math.sqrt(d_k), "cell": CELL, "width": CELL * T}
    return draw(SPEC, description, rows=rows, row=row, q_k=q_k, g_v=g_v, arrivals=arrivals, **names, **sizes)


def _arrival(part: str, source: str, factor: str, scale: str, by: str, size: int) -> list[dict[str, Any]]:
    """The length of one of a token's gradients: a sum over the other tokens for each feature, then their norm."""
    steps: list[dict[str, Any]] = []
    for i in range(size):
        term = f"{part}_term{i}"
        steps += [
            {"calculate": f"datum.{source} * datum.{factor}{i} * {scale}", "as": term},
            {"joinaggregate": [{"op": "sum", "field": term, "as": f"{part}{i}"}], "groupby": [by]},
        ]
    squares = " + ".join(f"pow(datum.{part}{i}, 2)" for i in range(size))
    return [*steps, {"calculate": f"sqrt({squares})", "as": part}]
