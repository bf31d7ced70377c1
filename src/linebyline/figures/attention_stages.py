"""Heads while they learn: one map of attention weights for each stage of training, layer and head."""

from collections.abc import Mapping, Sequence

import numpy as np

from .figure import Figure, draw

CELL, BAR = 22, 40  # pixels
SPEC = """
data: {name: values, values: $rows}
params:
  - {slider: stage, label: Stage of training, from: 0, to: $last_stages, at: $stage, shows: stage_name}
  - {if: $layer_names, radio: layer, label: Layer, options: $layer_names, at: $layer}
  - {if: $many_layers, slider: layer, label: Layer, from: 0, to: $last_layer, at: $layer}
  - {slider: head, label: Head, from: 0, to: $last_head, at: $head}
  - {name: stage_name, expr: "$stages[stage]"}
transform:
  - calculate: {weight: "datum.maps[(stage * $n_layers + layer) * $n_heads + head]"}
vconcat:
  - name: map
    width: $width
    height: $width
    encoding:
      x:
        field: key:O
        title: key
        axis: {<<: &axis {labelExpr: "$tokens[datum.value]", ticks: false, domain: false, labelAngle: 0},
               orient: top, labelAngle: $angle}
      y: {field: query:O, title: query, axis: *axis}
    layer:
      - name: cells
        mark: {type: rect, fill: $accent, stroke: currentColor, strokeWidth: 0.3}
        encoding: {fillOpacity: {field: weight:Q, scale: null}}
      - name: marked
        transform: [{filter: "datum.marked[layer]"}]
        mark: {type: rect, fill: null, stroke: currentColor, strokeWidth: 2}
  - name: targets
    width: $width
    height: $height
    transform:
      - $on_targets
      - {fold: $fields, as: [target, share]}
      - {filter: datum.share !== null}
      - {aggregate: [{op: mean, field: share, as: share}], groupby: [target]}
      - calculate:
          number: indexof($field_names, datum.target)
          label: "'mean weight on the ' + $targets[datum.number]"
    encoding:
      y: {field: number:O, axis: null}
      x: {field: share:Q, title: null, scale: {domain: [0, 1]}, axis: {values: [0, 0.5, 1]}}
    layer:
      - {name: targets, mark: {type: bar, fill: $accent, height: {band: 0.4}, yOffset: 9}}
      - name: names
        mark: {type: text, fill: currentColor, align: left, dy: -9}
        encoding: {x: {value: 0}, text: {field: label}}
spacing: 18
table: {mark: cells_marks, value: weight, corner: query, columns: $tokens, rows: $tokens}
"""


def attention_stages(
    weights: np.ndarray,
    stages: Sequence[str],
    tokens: Sequence[str],
    targets: Mapping[str, np.ndarray],
    *,
    stage: int = 0,
    layer: int = 0,
    head: int = 0,
    layers: Sequence[str] = (),
    outlined: Sequence[str] = (),
    description: str,
) -> Figure:
    """Maps of causal attention weights (n_stages, n_layers, n_heads, T, T), one at a time.

    Each of the ``targets`` names a key for each query, (T,), or -1 for none. Bars below the map show the mean weight
    on each target over the queries that have one. ``outlined`` names the target whose keys are outlined in the map,
    layer by layer; without it, those of the last target are. Layers have buttons with their names, or a slider if they
    have none.
    """
    _, n_layers, n_heads, T, _ = weights.shape
    marked = [targets[name] for name in outlined or [list(targets)[-1]] * n_layers]  # of each layer, (T,)
    # Each cell has its weight in all the maps: far fewer rows than one for each map and cell.
    by_cell = weights.reshape(-1, T, T).round(4)  # (n_maps, T, T)
    rows = [
        {"query": t, "key": s, "maps": by_cell[:, t, s].tolist(), "marked": [bool(keys[t] == s) for keys in marked]}
        for t, s in np.ndindex(T, T)
    ]
    fields = [f"target_{i}" for i in range(len(targets))]
    on_targets = [
        {"calculate": f"datum.key === {target.tolist()}[datum.query] ? datum.weight : null", "as": field}
        for field, target in zip(fields, targets.values(), strict=True)
    ]
    names = {"stages": list(stages), "tokens": list(tokens), "targets": list(targets)}
    bars = {"on_targets": on_targets, "fields": fields, "field_names": str(fields)}
    heads = {"n_layers": n_layers, "n_heads": n_heads, "last_layer": n_layers - 1, "last_head": n_heads - 1}
    choice = {"layer_names": list(layers), "many_layers": not layers}
    start = {"stage": stage, "layer": layer, "head": head}
    angle = -90 if max(map(len, tokens)) > 2 else 0  # a word is wider than a cell
    size = {"width": CELL * T, "height": BAR * len(targets)}
    return draw(SPEC, description, rows=rows, angle=angle, **names, **bars, **heads, **choice, **start, **size)
