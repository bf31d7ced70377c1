"""Which tokens attend to which: a map of attention weights with sliders, drawn and computed in the page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .figure import Figure, draw

CELL = 46  # pixels; wide enough for a weight with two decimals
SPEC = """
data: {name: values, values: $rows}
params:
  - {if: $last_layer, slider: layer, label: Layer, from: 0, to: $last_layer, at: 0}
  - {if: $two_heads, radio: head, label: Head, options: $head_names, at: 0}
  - {if: $many_heads, slider: head, label: Head, from: 0, to: $last_head, at: 0}
  - {if: $head_names, name: head_name, expr: "$head_names[head]"}
  - $scale
transform:
  - {if: $last_layer, filter: datum.layer === layer}
  - {if: $last_head, filter: datum.head === head}
  - {if: $weights, calculate: {weight: $weight}}
  - {if: $scores, calculate: {logit: "datum.value === null ? null : factor * datum.value"}}
  - {if: $scores, joinaggregate: [{op: max, field: logit, as: top}], groupby: [layer, head, query]}
  - {if: $scores, calculate: {exp: "datum.logit === null ? 0 : exp(datum.logit - datum.top)"}}
  - {if: $scores, joinaggregate: [{op: sum, field: exp, as: total}], groupby: [layer, head, query]}
  - {if: $scores, calculate: {weight: "datum.total > 0 ? datum.exp / datum.total : 0"}}
vconcat:
  - name: cells
    width: $width
    height: $height
    encoding:
      x:
        field: key:O
        title: key
        axis: {orient: top, labelExpr: "$keys[datum.value]", labelAngle: -35, ticks: false, domain: false}
      y: {field: query:O, title: query, axis: {labelExpr: "$queries[datum.value]", ticks: false, domain: false}}
    layer:
      - name: cells
        params:
          - name: row
            select: {type: point, fields: [query], clear: false, toggle: false,
                     "on": {source: view, type: pointerover, markname: cells_marks}}
            value: [{query: $query}]
            bind: {query: {input: radio, name: "Query ", options: $numbers, labels: $queries}}
        mark: {type: rect, fill: $accent, stroke: currentColor}
        encoding:
          fillOpacity: {field: weight:Q, scale: null}
          strokeWidth: {condition: {param: row, empty: false, value: 2.5}, value: 0.4}
      - name: numbers
        mark: text
        encoding:
          text: $text
          # White is legible on the accent only where it is nearly opaque.
          color: {condition: {test: datum.weight > 0.8, value: white}, value: currentColor}
  - name: bars
    width: $width
    height: 90
    transform: [{filter: {param: row, empty: false}}]
    mark: {type: bar, fill: $accent}
    encoding:
      x:
        field: key:O
        title: null
        axis: {orient: bottom, labelExpr: "$keys[datum.value]", labelAngle: -35, ticks: false, domain: false}
      y: {field: weight:Q, title: weight, scale: {domain: [0, 1]}, axis: {values: [0, 0.5, 1]}}
spacing: 12
table: {mark: cells_marks, value: weight, corner: query, columns: $keys, rows: $queries}
outputs: $outputs
"""


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
    description: str,
) -> Figure:
    """Map of attention weights (T, S), one row for each query, with the row of the chosen query as bars.

    Show either ``weights``, or the weights softmax(factor · scores), where a slider moves the factor from one named
    stop of ``scale`` to the next and begins at ``start``. Both may have axes of heads and of layers in front,
    (n_layers, n_heads, T, S), which get sliders of their own. A masked key, of score -inf or weight nan, is a dash.
    """
    values = np.asarray(weights if scores is None else scores, dtype=float)
    values = values.reshape((1,) * (4 - values.ndim) + values.shape)  # (n_layers, n_heads, T, S)
    n_layers, n_heads, T, S = values.shape
    rows = [
        {"layer": layer, "head": head, "query": t, "key": s, "value": value if np.isfinite(value) else None}
        for (layer, head, t, s), value in zip(np.ndindex(*values.shape), values.ravel().tolist(), strict=True)
    ]
    names = {"queries": list(queries), "keys": list(keys), "numbers": list(range(T)), "head_names": list(head_names)}
    last = {"last_layer": n_layers - 1, "last_head": n_heads - 1}
    two_heads = n_heads == 2 == len(head_names)
    heads = {"two_heads": two_heads, "many_heads": n_heads > 1 and not two_heads}
    outputs = {"head": "head_name"} if head_names and not two_heads else {}
    shown: dict[str, Any] = {"weights": scores is None, "scores": scores is not None}
    shown["scale"] = _scale(scale, start) if scale else []
    words: dict[str, Any] = {"field": "weight", "format": ".2f", "type": "quantitative"}
    if not np.isfinite(values).all():
        words = {"condition": {"test": "datum.value === null", "value": "–"}} | words
    shown |= {"text": words, "weight": "datum.value === null ? 0 : datum.value"}
    size = {"width": CELL * S, "height": CELL * T}
    return draw(SPEC, description, rows=rows, query=query, outputs=outputs, **names, **last, **heads, **shown, **size)


def _scale(scale: Mapping[str, float], start: str | None) -> list[dict[str, Any]]:
    """The slider of the factor, which is linear between two stops and exact at each of them."""
    names, factors = list(scale), [float(factor) for factor in scale.values()]
    between = f"min(floor(position), {len(names) - 2})"
    factor = f"{factors}[{between}] * (1 - (position - {between})) + {factors}[{between} + 1] * (position - {between})"
    at = names.index(start) if start else 0
    position = {"slider": "position", "label": "Factor on the scores", "from": 0, "to": len(names) - 1, "at": at}
    return [{**position, "step": 0.02, "stops": names, "shows": "factor"}, {"name": "factor", "expr": factor}]
