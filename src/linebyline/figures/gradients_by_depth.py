"""The length of the gradient at each block, for two variants of a model, while a slider changes the depth."""

from collections.abc import Mapping, Sequence

import numpy as np

from .figure import Figure, draw

SPEC = """
data: {name: points, values: $rows}
params:
  - {slider: depth, label: Depth, from: 0, to: $last_depths, at: $start, shows: layers}
  - {name: layers, expr: "$depths[depth] + ' blocks'"}
transform: [{filter: datum.depth === depth}]
width: 300
height: 220
encoding:
  x: {field: layer:Q, title: block, scale: {domain: [0, $right], nice: false}, axis: {values: $depths}}
  y: {field: value:Q, title: &y length of the gradient, scale: {domain: [0, $top], nice: false}, axis: {tickCount: 5}}
layer:
  - name: predictions
    mark: {type: line, strokeDash: [3, 4], strokeWidth: 1.2}
    encoding:
      y: {field: predicted:Q, title: *y}
      stroke: &color {condition: {test: "datum.variant === '$second_name'", value: $second}, value: $accent}
      detail: &variant {field: variant:N}
  - name: lines
    mark: {type: line}
    encoding: {stroke: *color, detail: *variant}
  - {name: dots, mark: {type: circle, opacity: 1, size: 30}, encoding: {fill: *color}}
  - name: ends
    transform: [{filter: datum.layer === 1 || datum.last}]
    mark: {type: circle, opacity: 1, size: 90}
    encoding: {fill: *color}
  - name: names
    transform: [{filter: datum.last}]
    mark: {type: text, fill: currentColor, align: left, dx: 9}
    encoding: {text: {field: variant}}
table: {mark: ends_marks, value: value, corner: variant, columns: [first block, last block], rows: $variants}
"""


def gradients_by_depth(
    gradients: Mapping[str, Sequence[np.ndarray]],
    predicted: Mapping[str, Sequence[np.ndarray]],
    *,
    start: int = 0,
    description: str,
) -> Figure:
    """A number for each block against the block, for two variants of a model; a slider chooses the depth.

    ``gradients`` has for each variant one array (n_blocks,) for each depth, and ``predicted`` what was expected,
    drawn as dashed lines; ``start`` is the index of the depth shown at first.
    """
    first, second = gradients
    depths = [len(array) for array in gradients[first]]
    rows = [
        {
            "variant": variant,
            "depth": depth,
            "layer": layer,
            "value": value,
            "predicted": expected,
            "last": layer == len(array),
        }
        for variant, arrays in gradients.items()
        for depth, (array, other) in enumerate(zip(arrays, predicted[variant], strict=True))
        for layer, (value, expected) in enumerate(np.round(np.stack([array, other], -1), 4).tolist(), 1)
    ]
    right = 1.32 * max(depths)  # room for the name of a variant beside its last dot
    top = 1.1 * max(float(np.max(array)) for arrays in gradients.values() for array in arrays)
    names = {"variants": [first, second], "second_name": second}
    return draw(SPEC, description, rows=rows, depths=depths, start=start, right=right, top=top, **names)
