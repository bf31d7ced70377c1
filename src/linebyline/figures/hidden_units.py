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
      drawn: clamp(datum.layer, $low, $high)  # a line far outside would push the panels apart
      error: abs(datum.layer - datum.target)
  - {joinaggregate: [{op: max, field: error, as: worst}]}
vconcat:
  - name: above
    width: 290
    height: 170
    encoding: {x: {field: x:Q, title: null, scale: {domain: $across, nice: false}, axis: {tickCount: 7}}}
    layer:
      - name: goal
        transform: [{filter: datum.unit === 0}]
        mark: {type: line, stroke: currentColor, strokeDash: [5, 4], strokeWidth: 1.5, clip: true}
        encoding:
          y: {field: target:Q, <<: &output {title: output, scale: {domain: $range, nice: false}, axis: {tickCount: 5}}}
      - name: best
        transform: [{filter: datum.unit === 0 && activation === 0}]
        mark: {type: line, stroke: currentColor, strokeWidth: 1, clip: true}
        encoding: {y: {field: best:Q, <<: *output}}
      - name: sum
        transform: [{filter: datum.unit === 0}]
        mark: {type: line, stroke: $accent, strokeWidth: 2.5, clip: true}
        encoding: {y: {field: drawn:Q, <<: *output}}
      - name: shown
        transform: [{filter: "datum.unit === 0 && indexof($shown, datum.x) >= 0"}]
        mark: {type: circle, opacity: 0}  # for the table
        encoding: {y: {field: drawn:Q, <<: *output}}
      - name: hinges
        transform: [{filter: "activation === 1 && abs(datum.z) < 0.01"}]
        mark: {type: circle, fill: $accent, opacity: 1, size: 40, clip: true}
        encoding: {y: {field: layer:Q, <<: *output}}
  - name: below
    width: 290
    height: 110
    mark: {type: line, stroke: $second, strokeWidth: 1.2, opacity: 0.8, clip: true}
    encoding:
      x: {field: x:Q, title: input, scale: {domain: $across, nice: false}, axis: {tickCount: 7}}
      y: {field: part:Q, title: units × factors, scale: {domain: $parts, nice: false}, axis: {tickCount: 3}}
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
    buttons choose the activation. Above are the layer and its target, below what each hidden unit contributes. Dots
    mark the hinges, where x is one of the points; without an activation the best straight line is shown as well.
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
    best = np.polyval(np.polyfit(x, target, 1), x)  # (n,)
    rows = [{"x": float(a), "target": float(b), "best": float(c)} for a, b, c in zip(x, target, best, strict=True)]
    biases = [float(layer[3].ravel()[0]) for layer in layers]
    counts = str([f"{len(each)} unit{'s' if len(each) > 1 else ''}" for each in units])
    ends = [middle - 1.4 * half, middle + 1.4 * half]
    places = {"shown": shown.tolist(), "places": [f"{value:g}" for value in shown]}
    drawn = {"layers": units, "biases": biases, "counts": counts, "low": ends[0] - half, "high": ends[1] + half}
    across = [float(x.min()), float(x.max())]
    widest = max(np.abs(v.ravel() * (a * w.ravel() + b)).max() for w, b, v, _ in layers for a in (x.min(), x.max()))
    parts = [-float(widest), float(widest)]
    return draw(SPEC, description, rows=rows, start=start, range=ends, parts=parts, across=across, **drawn, **places)
