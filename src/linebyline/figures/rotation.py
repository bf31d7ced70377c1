"""The rotary encoding as clock hands: each pair of features of a query and a key on its own circle."""

import numpy as np

from .figure import Figure, draw

CIRCLE, COLUMNS = 150, 2  # pixels from the center of one circle to the next, and circles in a row
SPEC = """
data: {name: values, values: $rows}
params:
  - {slider: position, label: Position p of the key, from: 0, to: 64, at: $position}
  - {slider: offset, label: "Offset n: the query is at p + n", from: 0, to: 16, at: $offset}
transform:
  - calculate:
      frequency: pow(10000.0, -2 * datum.pair / $d_k)
      angle_q: datum.start_q + (position + offset) * datum.frequency
      angle_k: datum.start_k + position * datum.frequency
      angle: "datum.line === 'query' ? datum.angle_q : datum.line === 'key' ? datum.angle_k
        : datum.angle_q - datum.angle_k"
      x: cos(datum.angle)
      y: sin(datum.angle)
      term: "datum.line === 'query' ? datum.size * cos(datum.angle_q - datum.angle_k) : 0"
      center_x: 150 * (datum.pair % 2 + 0.5)
      center_y: 210 * floor(datum.pair / 2) + 75.0
      tip_x: datum.center_x + 66 * datum.length * datum.x
      tip_y: datum.center_y - 66 * datum.length * datum.y
vconcat:
  - name: clocks
    width: $width
    height: $height
    layer:
      - name: circles
        transform: [{filter: datum.line === 'query'}]
        mark: {type: point, size: 17424, stroke: currentColor, strokeWidth: 0.6}
        encoding: &center
          x: {field: center_x:Q, scale: null, axis: null}
          y: {field: center_y:Q, scale: null, axis: null}
      - name: hands
        transform: [{filter: datum.line !== 'difference'}]
        mark: {type: rule, strokeWidth: 3, strokeCap: round}
        encoding:
          <<: *center
          x2: {field: tip_x}
          y2: {field: tip_y}
          stroke: {condition: {test: datum.line === 'key', value: "#00785a"}, value: $second}
          strokeDash: {condition: {test: datum.line === 'key', value: [5, 3]}, value: [1, 0]}
      - name: angles
        transform:
          - calculate:
              label: "datum.line === 'query' ? 'pair ' + datum.pair + ', speed ' + format(datum.frequency, '.2~r')
                : datum.line === 'key' ? 'query ahead by ' + format(datum.angle_q - datum.angle_k, '.2f')
                : 'adds ' + format(datum.size * cos(datum.angle), '.2f')"
              text_y: datum.center_y + 66 + 18 + 17 * indexof(['query', 'key', 'difference'], datum.line)
        mark: {type: text, fill: currentColor, fontSize: 12}
        encoding: {<<: *center, y: {field: text_y:Q, scale: null, axis: null}, text: {field: label}}
  - name: score
    width: 300
    height: 24
    transform:
      - {aggregate: [{op: sum, field: term, as: score}]}
      - {calculate: {label: "'query · key = ' + format(datum.score, '.2f')"}}
    mark: {type: text, fill: currentColor, fontSize: 15, fontWeight: bold}
    encoding: {text: {field: label}}
  - name: curve
    data: {name: curve, values: $curve}
    width: 210
    height: 130
    layer:
      - name: sum
        transform: [{filter: datum.part === 'score'}]
        mark: {type: line, stroke: currentColor, strokeWidth: 2.5}
        encoding: &score
          x: {field: n:Q, title: offset n, axis: {values: [0, 4, 8, 12, 16], grid: false}}
          y: {field: value:Q, title: "", axis: {values: [-2, 0, 2, 4], grid: false}}
      - name: parts
        transform: [{filter: datum.part !== 'score'}]
        mark: {type: line, stroke: currentColor, strokeWidth: 1, opacity: 0.8}
        encoding: {<<: *score, detail: {field: part}}
      - name: names
        transform: [{filter: datum.n === 16}]
        mark: {type: text, fill: currentColor, align: left, dx: 6, fontSize: 12}
        encoding: {<<: *score, text: {field: part}}
      - name: now
        transform: [{filter: datum.n === offset && datum.part === 'score'}]
        mark: {type: point, filled: true, size: 110, fill: $accent, opacity: 1}
        encoding: *score
spacing: 4
table: {mark: angles_marks, value: angle, corner: pair, rows: $pairs,
        columns: [angle of the query, angle of the key, difference]}
"""


def rotation(q: np.ndarray, k: np.ndarray, *, position: int = 0, offset: int = 3, description: str) -> Figure:
    """The angles to which the rotary encoding turns each pair of features of a query and a key, computed in the page.

    ``q`` and ``k`` are the vectors before rotation, (d_k,), with pairs interleaved. One slider moves the key's
    position p, another the offset n of the query at p + n. Below is the score of every offset, and what each pair adds.
    """
    pairs = np.stack([q, k]).reshape(2, -1, 2)  # (2, n_pairs, 2)
    starts = np.arctan2(pairs[..., 1], pairs[..., 0])  # (2, n_pairs)
    lengths = np.linalg.norm(pairs, axis=-1)  # (2, n_pairs)
    sizes = lengths.prod(axis=0)  # (n_pairs,)
    n_pairs = len(sizes)
    hands = (lengths / lengths.max()).T.tolist()  # the longest reaches the circle
    rows = [
        {"pair": i, "line": line, "start_q": start_q, "start_k": start_k, "size": size, "length": length}
        for i, (start_q, start_k, size) in enumerate(zip(*starts.tolist(), sizes.tolist(), strict=True))
        for line, length in zip(("query", "key", "difference"), [*hands[i], 0.0], strict=True)
    ]
    start = {"position": position, "offset": offset}
    apart, n = starts[0] - starts[1], np.arange(0, 16.01, 0.25)  # (n_pairs,), and offsets
    turned = apart + n[:, None] * 10000.0 ** (-np.arange(n_pairs) / n_pairs)  # (offsets, n_pairs)
    terms = np.cos(turned) * sizes
    lines = {"score": terms.sum(axis=1)} | {f"pair {i}": terms[:, i] for i in range(n_pairs)}
    curve = [
        {"n": a, "part": part, "value": b}
        for part, line in lines.items()
        for a, b in zip(n.tolist(), line.tolist(), strict=True)
    ]
    size = {"width": CIRCLE * min(COLUMNS, n_pairs), "height": (CIRCLE + 60) * -(-n_pairs // COLUMNS)}
    return draw(
        SPEC, description, rows=rows, d_k=q.size, pairs=[str(i) for i in range(n_pairs)], curve=curve, **start, **size
    )
