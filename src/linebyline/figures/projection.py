"""Word vectors in a plane while training moves them: a map with sliders, and the nearest words as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .figure import Figure, draw

DIGITS = 4
SPEC = """
params:
  - {slider: stage, label: Stage of training, from: 0, to: $last_stages, at: 0, shows: stage_name}
  - {name: stage_name, expr: "$stages[stage]"}
  - {name: chosen_name, expr: "$tokens[chosen_token]"}
outputs: {chosen_token: chosen_name}
vconcat:
  - name: map
    width: 320
    height: 320
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
      # The names at the ends of the line from the chosen token to its nearest, each away from the other end.
      - name: label
        data: {name: links}
        transform:
          - &first {filter: datum.stage === stage && datum.rank === 0}
          - *chosen
          - {calculate: {text: "$tokens[datum.token]"}}
        mark: {<<: &text {type: text, fontSize: 14, fill: currentColor}, fontWeight: bold, dy: {expr: $above}}
        encoding: {x: *x, y: *y, text: {field: text}}
      - name: nearest
        data: {name: links}
        transform: [*first, *chosen, {calculate: {text: "$tokens[datum.other]"}}]
        mark: {<<: *text, fontWeight: normal, dy: {expr: $below}}
        encoding: {x: {<<: *x, field: x2:Q}, y: {<<: *y, field: y2:Q}, text: {field: text}}
  - name: bars
    width: 320
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
    neighbours: int = 5,
    token: int = 0,
    description: str,
) -> Figure:
    """Map of vectors (n_stages, n_tokens, d_model) at several stages of training, with the neighbours of one token.

    Vectors are drawn at unit length, since similarity is the cosine of the full vectors. All stages are drawn in the
    plane of the first two principal components of the last one, so that the vectors move and not the view.
    """
    vectors = np.asarray(vectors, dtype=float)
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    places = np.round(_places(unit), DIGITS)  # (n_stages, n_tokens, 2)
    edge = 1.2 * float(np.abs(places).max())
    points = [
        {"stage": s, "token": t, "x": float(places[s, t, 0]), "y": float(places[s, t, 1])}
        for s, t in np.ndindex(*places.shape[:2])
    ]
    links, domain = _links(unit, places, neighbours), [-edge, edge]
    names = {"tokens": list(tokens), "stages": list(stages)}
    sides = {"above": "datum.y2 > datum.y ? 18 : -18", "below": "datum.y2 > datum.y ? -14 : 14"}
    return draw(SPEC, description, points=points, links=links, domain=domain, token=token, **names, **sides)


def _places(unit: np.ndarray) -> np.ndarray:
    """Coordinates in the plane in which the vectors of the last stage vary most."""
    mean = unit[-1].mean(axis=0)  # (d_model,)
    _, _, axes = np.linalg.svd(unit[-1] - mean, full_matrices=False)
    # The sign of a principal component is arbitrary; this one does not depend on the machine.
    sign = np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(axis=-1)])  # (2,)
    places: np.ndarray = (unit - mean) @ (sign[:, None] * axes[:2]).T  # (n_stages, n_tokens, 2)
    return places


def _links(unit: np.ndarray, places: np.ndarray, neighbours: int) -> list[dict[str, Any]]:
    """From each token to its most similar ones at each stage, nearest first."""
    cosine = np.round(unit @ unit.swapaxes(-1, -2), DIGITS)  # (n_stages, n_tokens, n_tokens)
    links = []
    for s, t in np.ndindex(*cosine.shape[:2]):
        others = [int(other) for other in np.argsort(-cosine[s, t], kind="stable") if other != t][:neighbours]
        for rank, other in enumerate(others):
            (x, y), (x2, y2) = places[s, t].tolist(), places[s, other].tolist()
            link = {"stage": s, "token": t, "other": other, "rank": rank, "cosine": float(cosine[s, t, other])}
            links.append({**link, "x": x, "y": y, "x2": x2, "y2": y2})
    return links
