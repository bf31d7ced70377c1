"""Normalization to experiment with: a small table of numbers under four norms."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .figure import Figure, draw

EPS = 1e-5
NORMS = ["none", "layer", "batch", "RMS"]
SPEC = """
data: {name: values, values: $rows}
params:
  - {slider: stretch, label: Multiply the row of $name by, from: 0.2, to: 4, at: $stretch, step: 0.1}
  - {slider: shift, label: Add to the row of $name, from: -2, to: 2, at: $shift, step: 0.1}
  - {radio: norm, label: Normalization, options: $norms, at: $norm}
transform:
  - {calculate: {row: floor(datum.cell / $features), feature: datum.cell % $features}}
  - $before
  - {calculate: {moved: "datum.row === $row ? stretch * datum.value + shift : datum.value"}}
  - $after
  - {calculate: {changed: "abs(datum.after - datum.before) > 0.005 ? 1 : 0"}}
vconcat:
  - name: cells
    width: $width
    height: $height
    encoding:
      x:
        field: feature:O
        title: feature
        scale: &scale {paddingInner: 0.08, paddingOuter: 0.04}
        axis: {ticks: false, domain: false, labelAngle: 0, orient: top, labelExpr: datum.value + 1}
      y:
        field: row:O
        title: null
        scale: *scale
        axis: {ticks: false, domain: false, labelAngle: 0, labelExpr: "$tokens[datum.value]"}
    layer:
      - name: fills
        # At most 0.4, so that the number on top is legible on light and on dark pages.
        transform: [{calculate: {strength: "min(0.4, 0.05 + abs(datum.after) / (norm === 0 ? 40 : 5))"}}]
        mark: {type: rect, stroke: currentColor}
        encoding:
          fill: {condition: {test: datum.after < 0, value: $second}, value: $accent}
          fillOpacity: {field: strength:Q, scale: null}
          strokeWidth: {condition: {test: datum.changed, value: 2.5}, value: 0}
      - name: numbers
        mark: {type: text, fill: currentColor, fontSize: 16, dy: -4}
        encoding: {text: {field: after:Q, format: ".2f"}}
      - name: old
        transform:
          - {filter: datum.changed}
          - {calculate: {was: "'was ' + replace(format(datum.before, '.2f'), '-', '−')"}}
        mark: {type: text, fill: currentColor, fontSize: 11, dy: 13}
        encoding: {text: {field: was}}
  - name: count
    width: 264
    height: 26
    transform:
      - {aggregate: [{op: sum, field: changed, as: total}]}
      - {calculate: {label: datum.total + ' of $size numbers changed'}}
    mark: {type: text, fill: currentColor, fontSize: 14, fontWeight: bold}
    encoding: {text: {field: label}}
spacing: 4
table: {mark: numbers_marks, value: after, corner: token, columns: $columns, rows: $tokens}
"""


def normalization_map(
    values: np.ndarray,
    tokens: Sequence[str],
    *,
    row: int = 0,
    norm: str = "layer",
    stretch: float = 1,
    shift: float = 0,
    description: str,
) -> Figure:
    """Table of numbers (T, d) under no, layer, batch or RMS normalization, computed in the page.

    Two sliders, which start at ``stretch`` and ``shift``, multiply one row and add to it. What then differs by more
    than 0.005 from what the row as it is would give is outlined, with the old number below, and counted.
    """
    features = values.shape[1]
    rows = [{"cell": cell, "value": float(value)} for cell, value in enumerate(values.ravel())]
    names = {"tokens": list(tokens), "name": tokens[row], "columns": [f"feature {i + 1}" for i in range(features)]}
    steps = {"before": _normalized("value", "before"), "after": _normalized("moved", "after")}
    start = {"row": row, "norms": NORMS, "norm": NORMS.index(norm), "stretch": stretch, "shift": shift}
    sizes = {"features": features, "size": values.size, "width": 66 * features, "height": 48 * len(tokens)}
    return draw(SPEC, description, rows=rows, **names, **steps, **start, **sizes)


def _normalized(x: str, result: str) -> list[dict[str, Any]]:
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
            f" : norm === 1 ? (datum.{x} - datum.{layer}_mean) / sqrt(datum.{layer}_var + {EPS})"
            f" : norm === 2 ? (datum.{x} - datum.{batch}_mean) / sqrt(datum.{batch}_var + {EPS})"
            f" : datum.{x} / sqrt(datum.{square}_mean + {EPS})",
            "as": result,
        },
    ]
