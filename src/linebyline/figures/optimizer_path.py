"""The path that an optimizer takes over a loss of two parameters, with the loss and the update of each step."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from linebyline.loss_surfaces import Surface, batch_noise

from .figure import Figure, draw

OPTIMIZERS = ("gradient descent", "momentum", "Adam", "AdamW")
EPS = 1e-8
STEPS = 60
X, Y = (-4.75, 3.25), (-2.25, 2.75)
UNIT = 42  # pixels
LEVELS = tuple(0.05 * 3**n for n in range(8))
CORNERS = 81  # of each contour
LARGEST_LOSS = 1e6  # beyond it a path has left the map, and is shown no further
SPEC = """
data: {name: surfaces, values: $rows}
params:
  - {slider: lr, label: Learning rate, from: 0.01, to: 0.5, at: 0.18, step: 0.01}
  - {slider: beta_1, label: Momentum β₁, from: 0, to: 0.99, at: 0.9, step: 0.01}
  - {slider: beta_2, label: Adam's β₂, from: 0.9, to: 0.999, at: 0.999, step: 0.001}
  - {slider: warmup, label: Warm-up steps, from: 0, to: 30, at: 0}
  - {radio: surface, label: Surface, options: $surfaces, at: 0}
  - {radio: optimizer, label: Optimizer, options: $optimizers, at: 0}
  # The fraction of the mean that is kept, and the factor of the gradient that is added.
  - {name: keep, expr: "optimizer === 0 ? 0 : beta_1"}
  - {name: add, expr: "optimizer < 2 ? 1 : 1 - beta_1"}
  - {name: decay, expr: "optimizer === 3 ? 0.1 : 0"}
transform:
  - {filter: datum.surface === surface}
  - {calculate: $steps}
  # One row for each point. The one row is first copied without the fields of the steps, of which each point would
  # carry a copy.
  - aggregate: [{op: count, as: rows}]
    groupby: [along, across, bend, quartic, center_x, center_y, least, contours, step, point, before, rate]
  - {flatten: [step, point, before, rate]}
  - calculate:
      x: datum.point[0]
      y: datum.point[1]
      w: datum.y - datum.center_y - datum.bend * datum.x * datum.x
      loss: datum.along * pow(datum.x - datum.center_x, 2) / 2 + datum.across * datum.w * datum.w / 2
        + datum.quartic * datum.w * datum.w * datum.w * datum.w / 4 - datum.least
      update: max(abs(datum.x - datum.before[0]), abs(datum.y - datum.before[1]))
      shown: datum.loss < $largest_loss  # not true of NaN, either
      # What the table shows for each point: a dash after the path has left the map.
      x_cell: "datum.shown ? datum.x : '—'"
      y_cell: "datum.shown ? datum.y : '—'"
      loss_cell: "datum.shown ? datum.loss : '—'"
      update_cell: "datum.shown ? datum.update : '—'"
vconcat:
  - name: map
    width: 336
    height: 210
    view: {stroke: currentColor, strokeOpacity: 0.3}
    layer:
      - name: contours
        transform: [{filter: datum.step === 0}]
        # A shape is drawn larger by half the root of its size.
        mark: {type: point, size: 0.04, stroke: currentColor, strokeWidth: 1, opacity: 0.5}
        encoding: {x: {value: 0}, y: {value: 0}, shape: {field: contours, scale: null}}
      - name: path
        transform: [{filter: datum.shown}]
        mark: {type: line, stroke: $themed, strokeWidth: 2, clip: true}
        encoding:
          x: &x {field: x:Q, title: x, scale: {domain: $x, nice: false, zero: false}, axis: {tickCount: 6}}
          y: &y {field: y:Q, title: y, scale: {domain: $y, nice: false, zero: false}, axis: {tickCount: 6}}
          order: {field: step}
      - name: points
        transform: [{filter: datum.shown}]
        mark: {type: point, filled: true, fill: $themed, opacity: 1, clip: true}
        encoding: {x: *x, y: *y, size: {condition: {test: datum.step === 0, value: 90}, value: 18}}
      # A ridge has a minimum on either side.
      - name: minima
        transform:
          - {filter: datum.step === 0}
          - {calculate: {sides: "[-1, 1]"}}
          - {flatten: [sides], as: [side]}
          - calculate:
              apart: "datum.across < 0 ? sqrt(-datum.across / datum.quartic) : 0"
              least_y: datum.center_y + datum.bend * datum.center_x * datum.center_x + datum.side * datum.apart
        mark: {type: point, shape: "M-1,-1L1,1M-1,1L1,-1", stroke: currentColor, strokeWidth: 2, size: 40, opacity: 1}
        encoding: {x: {<<: *x, field: center_x:Q}, y: {<<: *y, field: least_y:Q}}
  # Loss and update on logarithmic axes, whose ends also show all that is beyond them.
  - name: loss
    width: 336
    height: 84
    transform: [{calculate: {plotted: "datum.shown ? clamp(datum.loss, 0.001, 100.0) : 100.0"}}]
    encoding:
      x: &step {field: step:Q, title: step, scale: {domain: [0, $n_steps]}, axis: {tickCount: 6}}
      y:
        type: quantitative
        title: loss
        scale: {type: log, domain: [0.001, 100.0]}
        axis: &tenths {values: [0.001, 0.1, 10.0], format: ~g}
    layer:
      - name: loss_line
        mark: {<<: &line {type: line, strokeWidth: 2, clip: true}, stroke: $themed}
        encoding: {y: {field: plotted}}
  - name: update
    width: 336
    height: 84
    transform:
      - {filter: datum.step > 0}
      - {calculate: {plotted: "datum.shown ? clamp(datum.update, 0.001, 10.0) : 10.0"}}
    encoding:
      x: *step
      y: {type: quantitative, title: update, scale: {type: log, domain: [0.001, 10.0]}, axis: *tenths}
    layer:
      - {name: update_line, mark: {<<: *line, stroke: $themed}, encoding: {y: {field: plotted}}}
      - name: rate_line
        mark: {<<: *line, stroke: currentColor, strokeDash: [4, 3]}
        encoding: {y: {field: rate}}
  # In words: the loss at the end, or the step at which it left the map.
  - name: end
    width: 336
    height: 20
    transform:
      - {calculate: {left: "datum.shown ? $n_points : datum.step"}}
      - {joinaggregate: [{op: min, field: left, as: gone}]}
      - {filter: datum.step === $n_steps}
      - calculate:
          label: "datum.gone < $n_points ? 'It diverges: its loss passes $largest at step ' + datum.gone
            : 'After $n_steps steps the loss is ' + format(datum.loss, '.3~g')"
    mark: {type: text, fill: currentColor, fontSize: 13, fontWeight: bold}
    encoding: {text: {field: label}}
spacing: 12
table: {mark: loss_line_marks, value: [x_cell, y_cell, loss_cell, update_cell], corner: step,
        columns: [x, y, loss, update], rows: $numbers}
beside: true
"""


def optimizer_path(surfaces: Mapping[str, Surface], *, description: str) -> Figure:
    """The path of an optimizer over contours of a loss, computed in the page.

    Sliders set the learning rate, both betas and the steps of a linear warm-up; radio buttons choose the surface and
    the optimizer. AdamW has a weight decay of 0.1. Below the map are the loss and the
    size of the update, the larger change of the two coordinates, against the step. A noisy surface has the same
    mini-batches for every choice.
    """
    rows = [_row(i, each) for i, each in enumerate(surfaces.values())]
    names = {"surfaces": list(surfaces), "optimizers": list(OPTIMIZERS), "numbers": [str(n) for n in range(STEPS + 1)]}
    limits = {"largest_loss": LARGEST_LOSS, "largest": f"{LARGEST_LOSS:,.0f}", "x": list(X), "y": list(Y)}
    counts = {"n_steps": STEPS, "n_points": STEPS + 1}
    return draw(SPEC, description, rows=rows, steps=_steps(batch_noise(STEPS)), **names, **limits, **counts)


def _row(number: int, surface: Surface) -> dict[str, Any]:
    """The numbers of a surface as the steps read them, and its contours."""
    (start_x, start_y), (center_x, center_y) = surface.start, surface.center
    start = {"start_x": start_x, "start_y": start_y, "center_x": center_x, "center_y": center_y}
    names = ("along", "across", "bend", "quartic", "noise", "least")
    numbers = {name: getattr(surface, name) for name in names}
    return {"surface": number, **start, **numbers, "contours": _contours(surface)}


def _contours(surface: Surface) -> str:
    """The lines of equal loss as one path of SVG, in tenths of a pixel from the map's upper left corner."""
    from contourpy import contour_generator

    x, y = np.linspace(*X, 161), np.linspace(*Y, 201)
    lines = contour_generator(x, y, surface.loss(np.stack(np.meshgrid(x, y))))
    drawn = []
    for level in LEVELS:
        for line in lines.lines(level):
            corners = np.asarray(line)[np.linspace(0, len(line) - 1, CORNERS).round().astype(int)]  # (CORNERS, 2)
            tenths = ((corners - (X[0], Y[1])) * (10 * UNIT, -10 * UNIT)).round().astype(int)
            moves = [tenths[0], *np.diff(tenths, axis=0)]
            drawn.append("M" + "l".join(f"{a},{b}" for a, b in moves))
    return "".join(drawn)


def _steps(noise: np.ndarray) -> dict[str, str]:
    """Expressions that compute the path from a row with the numbers of a ``Surface``, for noise of (n_steps, 2).

    Vega has no loop, but the steps are few: each is written out, and computes with the fields of the one before.

    Those of single steps come first. Then ``step`` lists the numbers of the points from 0, the start, and ``point``,
    ``before`` and ``rate`` list each point, the one before it, and the learning rate.
    """
    fields = {"p0": "[datum.start_x, datum.start_y]", "m0": "[0, 0]", "v0": "[0, 0]", "r0": "null"}
    for n, batch in enumerate(noise.tolist(), start=1):
        fields |= dict(_step(n, batch))
    points = range(len(noise) + 1)
    return fields | {
        "step": f"sequence({len(points)})",
        "point": _list(f"datum.p{n}" for n in points),
        "before": _list(f"datum.p{max(n - 1, 0)}" for n in points),
        "rate": _list(f"datum.r{n}" for n in points),
    }


def _step(n: int, noise: list[float]) -> Iterator[tuple[str, str]]:
    """The fields of step n: distance w and slope s across, gradient g, means m and v, learning rate r, point p."""
    x, y = f"datum.p{n - 1}[0]", f"datum.p{n - 1}[1]"
    yield f"w{n}", f"{y} - datum.center_y - datum.bend * {x} * {x}"
    w, slope = f"datum.w{n}", f"datum.s{n}"
    yield f"s{n}", f"datum.across * {w} + datum.quartic * {w} * {w} * {w}"
    exact = f"datum.along * ({x} - datum.center_x) - 2 * datum.bend * {x} * {slope}", slope
    yield f"g{n}", _list(f"{g} + datum.noise * ({e})" for g, e in zip(exact, noise, strict=True))
    pairs = [tuple(f"datum.{name}[{i}]" for name in (f"m{n - 1}", f"v{n - 1}", f"g{n}")) for i in range(2)]
    yield f"m{n}", _list(f"keep * {m} + add * {g}" for m, _, g in pairs)
    yield f"v{n}", _list(f"beta_2 * {v} + (1 - beta_2) * {g} * {g}" for _, v, g in pairs)
    yield f"r{n}", f"lr * min(1, {n} / max(1, warmup))"
    yield f"p{n}", _list(_moved(n, i) for i in range(2))


def _moved(n: int, i: int) -> str:
    """A coordinate after step n."""
    m, v, before = f"datum.m{n}[{i}]", f"datum.v{n}[{i}]", f"datum.p{n - 1}[{i}]"
    adam = f"{m} / (1 - pow(beta_1, {n})) / (sqrt({v} / (1 - pow(beta_2, {n}))) + {EPS}) + decay * {before}"
    return f"{before} - datum.r{n} * (optimizer < 2 ? {m} : {adam})"


def _list(parts: Iterator[str]) -> str:
    return f"[{', '.join(parts)}]"
