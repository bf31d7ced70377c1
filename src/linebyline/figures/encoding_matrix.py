"""The sinusoidal encoding as a map: each row a position, with the dot products of a chosen row below."""

import math

import numpy as np

from .figure import Figure, draw

SPEC = """
data: {sequence: {start: 0, stop: $size, as: cell}}
params: [{slider: position, label: Position p, from: 0, to: $last_positions, at: $position}]
transform:
  - calculate:
      row: floor(datum.cell / $d_model)
      feature: datum.cell % $d_model
      value: "datum.feature % 2 ? cos(datum.row * $frequency) : sin(datum.row * $frequency)"
      chosen: "datum.feature % 2 ? cos(position * $frequency) : sin(position * $frequency)"
      term: datum.value * datum.chosen
vconcat:
  - name: map
    width: 320
    height: 240
    encoding:
      x:
        field: feature:O
        axis:
          {labelExpr: &eighth "datum.value % 8 ? '' : datum.value", labelAngle: 0, ticks: false, orient: top,
           title: feature, domain: false}
      y: {field: row:O, title: position, axis: {labelExpr: *eighth, ticks: false, domain: false}}
    layer:
      - name: entries
        transform: [{calculate: {strength: abs(datum.value)}}]
        mark: {type: rect}
        encoding:
          fill: {condition: {test: datum.value < 0, value: $second}, value: $accent}
          fillOpacity: {field: strength:Q, scale: null}
      - name: chosen_row
        transform: [{filter: datum.row === position && datum.feature === 0}]
        mark: {type: rect, fill: null, stroke: currentColor, strokeWidth: 2}
        encoding: {x: {value: 0}, x2: {value: 320}}
  - name: products
    width: 320
    height: 150
    transform: [{aggregate: [{op: sum, field: term, as: product}], groupby: [row]}]
    mark: {type: bar, fill: $accent}
    encoding:
      x: {field: row:O, title: position s, axis: {labelExpr: *eighth, labelAngle: 0, ticks: false}}
      y: {field: product:Q, title: PE(p)·PE(s), scale: {domain: [$lowest, $half]}, axis: {values: $products}}
      fillOpacity: {condition: {test: datum.row === position, value: 1}, value: 0.6}
spacing: 14
table: {mark: products_marks, value: product, corner: position s, columns: [PE(p) · PE(s)], rows: $positions}
"""


def encoding_matrix(T: int, d_model: int, *, position: int = 0, description: str) -> Figure:
    """Map of the sinusoidal encoding (T, d_model), with a chosen row and its dot products with all rows."""
    products = np.cos(np.arange(T)[:, None] * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)).sum(axis=-1)  # (T,)
    lowest, half = min(0, math.floor(float(products.min()))), d_model // 2
    frequency = f"pow(10000.0, -2 * floor(datum.feature / 2) / {d_model})"
    ends = {"lowest": lowest, "half": half, "products": sorted({lowest, 0, half // 2, half})}
    sizes = {"size": T * d_model, "d_model": d_model, "positions": [str(s) for s in range(T)]}
    return draw(SPEC, description, frequency=frequency, position=position, **ends, **sizes)
