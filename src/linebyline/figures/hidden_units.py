"""A feed-forward layer of one feature as the sum of its hidden units, under a choice of activation."""

from collections.abc import Sequence

import numpy as np

from .figure import Figure, draw

SPEC = """
data: {name: points, values: $rows}
params:
  - {name: layers, value: $layers}
  - {name: bias, value: $biases}
  - {slider: stop, label: Hidden units, from: 0, to: $last_layers, at: $start, shows: count}
  - {name: count, expr: "$counts[stop]"}
  - {radio: activation, label: Activation, options: [none, ReLU, GELU, SiLU], at: 1}
transform:
  # One row for each point and unit; each has the sum of its point.
  - {calculate: {weights: "layers[stop]"}}
  - {flatten: [weights]}
  - calculate:
      unit: datum.weights.unit
      z: datum.weights.w * datum.x + datum.weights.b
      hidden: "activation === 0 ? datum.z : activation === 1 ? max(0, datum.z)
        : activation === 2 ? datum.z * cumulativeNormal(datum.z) : datum.z / (1 + exp(-datum.z))"
      part: datum.weights.v * datum.hidden
  - {joinaggregate: [{op: sum, field: part, as: total}], groupby: [x]}
  - calculate:
      layer: datum.total + bias[stop]
      error: abs(datum.layer - datum.target)
  - {joinaggregate: [{op: max, field: error, as: worst}]}
vconcat:
  - name: above
    width: 290
    height: 170
    transform: [{filter: datum.unit === 0}]
    encoding: {x: {field: x:Q, title: null, scale: {nice: false}, axis: {tickCount: 7}}}
    layer:
      - name: goal
        mark: {type: line, stroke: currentColor, strokeDash: [5, 4], strokeWidth: 1.5, clip: true}
        encoding:
          y: {field: target:Q, <<: &output {title: output, scale: {domain: $range, nice: false}, axis: {tickCount: 5}}}
      - name: sum
        mark: {type: line, stroke: $accent, strokeWidth: 2.5, clip: true}
        encoding: {y: {field: layer:Q, <<: *output}}
      - name: shown
        transform: [{filter: "indexof($shown, datum.x) >= 0"}]
        mark: {type: circle, fill: $accent, opacity: 1, size: 40, clip: true}
        encoding: {y: {field: layer:Q, <<: *output}}
  - name: below
    width: 290
    height: 90
    # Steeper units reach higher: each is drawn in units of its own slope.
    transform: [{calculate: {height: datum.hidden / datum.weights.w}}]
    mark: {type: line, stroke: $second, strokeWidth: 1.2, opacity: 0.8, clip: true}
    encoding:
      x: {field: x:Q, title: input, scale: {nice: false}, axis: {tickCount: 7}}
      y: {field: height:Q, title: hidden units, scale: {domain: [-1, 6], nice: false}, axis: {tickCount: 3}}
      detail: {field: unit:N}
  - name: worst
    width: 290
    height: 26
    transform:
      - {aggregate: [{op: max, field: worst, as: worst}]}
      - {calculate: {label: "'largest distance from the target: ' + format(datum.worst, '.2f')"}}
    mark: {type: text, fill: currentColor, fontSize: 14, fontWeight: bold}
    encoding: {text: {field: label}}
spacing: 8
table: {mark: shown_marks, value: [target, layer], corner: x, columns: [target, layer], rows: $places}
"""
Weights = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def hidden_units(
    x: np.ndarray, target: np.ndarray, layers: Sequence[Weights], *, start: int = 0, description: str
) -> Figure:
    """Feed-forward layers from one number to one number at x, (n,), with their target, (n,), computed in the page.

    A slider chooses one of the layers, each (w_in, b_in, w_out, b_out) as `functional.feed_forward` takes them;
    buttons choose the activation. Above are the layer and its target, below what each hidden unit contributes.
    """
    units = [
        [
            {"unit": number, "w": float(w), "b": float(b), "v": float(v)}
            for number, (w, b, v) in enumerate(zip(w_in.ravel(), b_in.ravel(), w_out.ravel(), strict=True))
        ]
        for w_in, b_in, w_out, _ in layers
    ]
    middle, half = (target.max() + target.min()) / 2, max(1e-9, float(np.ptp(target)) / 2)
    shown = x[np.linspace(0, len(x) - 1, 7).round().astype(int)]
    rows = [{"x": float(a), "target": float(b)} for a, b in zip(x, target, strict=True)]
    biases = [float(layer[3].ravel()[0]) for layer in layers]
    counts = str([f"{len(each)} unit{'s' if len(each) > 1 else ''}" for each in units])
    ends = [middle - 1.4 * half, middle + 1.4 * half]
    places = {"shown": shown.tolist(), "places": [f"{value:g}" for value in shown]}
    drawn = {"layers": units, "biases": biases, "counts": counts}
    return draw(SPEC, description, rows=rows, start=start, range=ends, **drawn, **places)
