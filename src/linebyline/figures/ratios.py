"""Speedups with the range of each, beside the line of 1 and the target."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from .figure import Figure, draw

ROW = 80  # pixels
LETTERS = 48  # on a line of text, which fit the width and leave two lines for most rows
SHAPES = ("circle", "diamond", "square", "triangle-up")
SPEC = """
data: {values: $rows}
width: 340
height: $height
layer:
  - transform: [{aggregate: [], groupby: [row]}]
    mark: {type: rule, stroke: currentColor, strokeDash: [4, 3], opacity: 0.5}
    encoding:
      x:
        <<: &x
          type: quantitative
          title: times as fast as the peer
          scale: {type: log, base: 2, domain: $domain, nice: false}
          axis: {format: ~g, tickCount: 6, orient: bottom, labelFlush: false}
        datum: 1
      y: {<<: &y {field: row:O, axis: null, scale: {type: band, padding: 0}}, bandPosition: 0.56}
      y2: {field: row, bandPosition: 0.84}
  # Each point is below the middle of its row: the words are above it.
  - name: ranges
    mark: {type: rule, stroke: currentColor, strokeWidth: 2, yOffset: 16, y2Offset: 16}
    encoding: {y: *y, x: {<<: *x, field: low}, x2: {field: high}}
  - name: targets
    transform: [{filter: datum.target !== null}]
    mark: {type: tick, stroke: currentColor, thickness: 3, size: 18, yOffset: 16}
    encoding: {y: *y, x: {<<: *x, field: target}}
  - name: points
    mark:
      {type: point, filled: true, fill: $accent, stroke: $accent, strokeWidth: 2, opacity: 1, size: 110, yOffset: 16}
    encoding:
      y: *y
      x: {<<: *x, field: ratio}
      shape: {field: shape:N, scale: null}
      fillOpacity: {condition: {test: datum.target !== null && datum.ratio < datum.target, value: 0}, value: 1}
  - mark: {type: text, align: left, baseline: top, fill: currentColor, lineHeight: 14, dy: -34}
    encoding: {y: *y, x: {value: 0}, text: {field: words}}
table: {corner: work and peer, columns: [machine, ratio, lowest, highest, target], rows: $names, cells: $cells}
"""


@dataclass(frozen=True)
class Ratio:
    """How many times faster one thing is than another on a machine; ``low`` and ``high`` are its ends over rounds."""

    work: str
    peer: str
    machine: str
    value: float
    low: float | None
    high: float | None
    target: float | None


def ratios(points: Sequence[Ratio], *, description: str) -> Figure:
    """Speedups of up to four machines, a shape for each: a point, hollow below its target, and its range."""
    machines = list(dict.fromkeys(point.machine for point in points))
    pairs = list(dict.fromkeys((point.work, point.peer) for point in points))
    rows = [
        {"row": pairs.index((p.work, p.peer)), "words": [*wrap(p.work, LETTERS), *wrap(f"against {p.peer}", LETTERS)]}
        | {"ratio": p.value, "low": p.low or p.value, "high": p.high or p.value, "target": p.target}
        | {"shape": SHAPES[machines.index(p.machine)]}
        for p in points
    ]
    ends = [1.0, *(end for p in points for end in (p.value, p.low, p.high, p.target) if end is not None)]
    domain = [2 ** math.floor(math.log2(min(ends) * 0.99)), 2 ** math.ceil(math.log2(max(ends) * 1.01))]
    names = [f"{point.work}, against {point.peer}" for point in points]
    cells = [cell for point in points for cell in _cells(point)]
    return draw(SPEC, description, rows=rows, height=ROW * len(pairs), domain=domain, names=names, cells=cells)


def _cells(point: Ratio) -> list[str]:
    numbers = (point.value, point.low, point.high, point.target)
    return [point.machine, *("–" if number is None else f"{number:.3g}" for number in numbers)]
