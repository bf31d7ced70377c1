"""What each head adds to its scores for the distance of query and key, drawn over the distance."""

import numpy as np

from .figure import Figure, draw

SPEC = """
data: {name: biases, values: $rows}
params: [{radio: head, label: Head, options: $heads, at: 0}]
width: 320
height: 220
encoding:
  x: {field: ahead:Q, title: place of the key less that of the query, scale: {domain: [$left, $reach], nice: false}}
  y: {field: bias:Q, title: added to the score}
layer:
  - name: others
    mark: {type: line, stroke: currentColor, opacity: 0.3, interpolate: step}
    encoding: {detail: {field: head}}
  - name: front
    transform: [{filter: datum.head === head}]
    mark: {type: line, stroke: $accent, strokeWidth: 3, interpolate: step}
table:
  mark: front_marks
  value: bias
  sort: ahead
  corner: key less query
  columns: [bias of the head]
  rows: $distances
"""


def distance_bias(biases: np.ndarray, reach: int, *, description: str) -> Figure:
    """Curves of the bias, (n_heads, 2 * reach + 1), over the distance; a button brings that of a head to the front."""
    rows = [
        {"head": h, "ahead": s - reach, "bias": round(float(biases[h, s]), 2)} for h, s in np.ndindex(*biases.shape)
    ]
    heads, distances = [str(h) for h in range(len(biases))], [str(ahead) for ahead in range(-reach, reach + 1)]
    return draw(SPEC, description, rows=rows, heads=heads, reach=reach, left=-reach, distances=distances)
