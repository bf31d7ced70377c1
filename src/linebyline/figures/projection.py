"""Word vectors in a plane while training moves them: a map with sliders, and the nearest words as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .figure import Figure, draw

DIGITS = 4
SIZE = 320  # width and height of the map in pixels
FONT_SIZE = 14
# Where a name may be, seen from its point: the side it begins at, and how far away it is, in pixels.
OFFSETS = (
    *(("left", 12, 0), ("right", -12, 0), ("center", 0, -17), ("center", 0, 17)),
    *(("left", 6, 10), ("right", -6, 10), ("left", 6, -10), ("right", -6, -10)),
    *(("left", 4, 18), ("right", -4, 18), ("left", 4, -18), ("right", -4, -18)),
)
SPEC = """
params:
  - {slider: stage, label: Stage of training, from: 0, to: $last_stages, at: $last_stages, shows: stage_name}
  - {name: stage_name, expr: "$stages[stage]"}
  - {name: chosen_name, expr: "$tokens[chosen_token]"}
outputs: {chosen_token: chosen_name}
vconcat:
  - name: map
    width: $size
    height: $size
    data: {name: points, values: $points}
    encoding:
      x: &x {field: x:Q, title: component 1, scale: &scale {domain: $domain, nice: false}, axis: {tickCount: 5}}
      y: &y {field: y:Q, title: component 2, scale: *scale, axis: {tickCount: 5}}
    layer:
      - name: lines
        data: {name: links, values: $links}
        transform: [{filter: datum.stage === stage}, &chosen {filter: {param: chosen, empty: false}}]
        mark: {type: rule, stroke: $accent, strokeWidth: 1.5}
        encoding: {x2: {field: x2}, y2: {field: y2}}
      - name: points
        transform: [{filter: datum.stage === stage}]
        params:
          - name: chosen
            select:
              type: point
              fields: [token]
              "on": {source: view, type: pointerover, markname: points_marks}
              clear: false
              toggle: false
            value: [{token: $token}]
            bind: {token: {input: range, min: 0, max: $last_tokens, step: 1, name: "Token "}}
        mark: {type: circle, fill: $accent, stroke: currentColor, opacity: 1}
        encoding:
          size: {condition: {param: chosen, empty: false, value: 220}, value: 90}
          strokeWidth: {condition: {param: chosen, empty: false, value: 2.5}, value: 0.4}
      - name: names
        transform: [{filter: datum.stage === stage}, {calculate: {text: "$tokens[datum.token]"}}]
        mark:
          type: text
          fontSize: $font_size
          fill: currentColor
          fontWeight: {expr: "datum.token === chosen_token ? 'bold' : 'normal'"}
          align: {expr: datum.align}
          baseline: middle
          dx: {expr: datum.dx}
          dy: {expr: datum.dy}
        encoding: {text: {field: text}}
  - name: bars
    width: $size
    height: {step: 22}
    data: {name: links}
    transform: [{filter: datum.stage === stage}, *chosen, {calculate: {name: "$tokens[datum.other]"}}]
    mark: {type: bar, fill: $accent}
    encoding:
      y:
        field: name:N
        title: null
        sort: {field: rank}
        axis: {ticks: false, domain: false, minExtent: 90, maxExtent: 90}
      x:
        field: cosine:Q
        title: cosine with the chosen token
        scale: {domain: [-0.2, 1]}
        axis: {values: [0, 0.5, 1], format: ".1f"}
spacing: 12
table: {mark: points_marks, value: [x, y], corner: token, columns: [component 1, component 2], rows: $tokens}
"""


def projection(
    vectors: np.ndarray,
    tokens: Sequence[str],
    stages: Sequence[str],
    *,
    neighbors: int = 5,
    token: int = 0,
    description: str,
) -> Figure:
    """Map of vectors (n_stages, n_tokens, d_model) at several stages of training, with the neighbors of one token.

    Vectors are drawn at unit length, since similarity is the cosine of the full vectors. All stages are drawn in the
    plane of the first two principal components of the last one, so that the vectors move and not the view.
    """
    vectors = np.asarray(vectors, dtype=float)
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    places = np.round(_places(unit), DIGITS)  # (n_stages, n_tokens, 2)
    edge = 1.2 * float(np.abs(places).max())
    points = [
        {"stage": s, "token": t, "x": x, "y": y, "align": align, "dx": dx, "dy": dy}
        for s, stage in enumerate(places.tolist())
        for t, ((x, y), (align, dx, dy)) in enumerate(zip(stage, _names(places[s] / edge, tokens), strict=True))
    ]
    values = {"points": points, "links": _links(unit, places, neighbors), "domain": [-edge, edge], "token": token}
    names = {"tokens": list(tokens), "stages": list(stages), "size": SIZE, "font_size": FONT_SIZE}
    return draw(SPEC, description, **values, **names)


def _places(unit: np.ndarray) -> np.ndarray:
    """Coordinates in the plane in which the vectors of the last stage vary most."""
    mean = unit[-1].mean(axis=0)  # (d_model,)
    _, _, axes = np.linalg.svd(unit[-1] - mean, full_matrices=False)
    # The sign of a principal component is arbitrary; this one does not depend on the machine.
    sign = np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(axis=-1)])  # (2,)
    places: np.ndarray = (unit - mean) @ (sign[:, None] * axes[:2]).T  # (n_stages, n_tokens, 2)
    return places


def _names(places: np.ndarray, tokens: Sequence[str]) -> list[tuple[str, int, int]]:
    """Where to write each name, so that it covers as little as possible of points, other names and the edge.

    ``places`` are between -1 and 1. The names are placed one after the other, each at the best of the offsets.
    """
    pixels = (places * (1, -1) + 1) * SIZE / 2  # (n_tokens, 2)
    taken = np.concatenate([pixels - 5, pixels + 5], axis=-1)  # (n_boxes, 4): left, top, right, bottom
    chosen = []
    for (x, y), token in zip(pixels, tokens, strict=True):
        width, boxes = 0.56 * FONT_SIZE * len(token), []
        for align, dx, dy in OFFSETS:
            left = x + dx - {"left": 0.0, "center": width / 2, "right": width}[align]
            boxes.append([left, y + dy - FONT_SIZE / 2, left + width, y + dy + FONT_SIZE / 2])
        covered = [_overlap(np.array(box), taken) + SIZE * max(0, -box[0], box[2] - SIZE) for box in boxes]
        best = int(np.argmin(covered))
        chosen.append(OFFSETS[best])
        taken = np.vstack([taken, boxes[best]])
    return chosen


def _overlap(box: np.ndarray, others: np.ndarray) -> float:
    """The area of a box that others cover, each counted by itself."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])  # (n_boxes, 2)
    return float(np.maximum(sides, 0).prod(axis=-1).sum())


def _links(unit: np.ndarray, places: np.ndarray, neighbors: int) -> list[dict[str, Any]]:
    """From each token to its most similar ones at each stage, nearest first."""
    cosine = np.round(unit @ unit.swapaxes(-1, -2), DIGITS)  # (n_stages, n_tokens, n_tokens)
    links = []
    for s, t in np.ndindex(*cosine.shape[:2]):
        others = [int(other) for other in np.argsort(-cosine[s, t], kind="stable") if other != t][:neighbors]
        for rank, other in enumerate(others):
            (x, y), (x2, y2) = places[s, t].tolist(), places[s, other].tolist()
            link = {"stage": s, "token": t, "other": other, "rank": rank, "cosine": float(cosine[s, t, other])}
            links.append({**link, "x": x, "y": y, "x2": x2, "y2": y2})
    return links
