"""Causal attention block by block: which blocks are computed, and what one query has accumulated so far."""

import numpy as np

from .figure import Figure, draw

CELL = 20  # pixels
SPEC = """
data: {name: pairs, values: $rows}
params:
  - {slider: query, label: Query, from: 0, to: $last, at: $query}
  - {slider: taken, label: Blocks of keys taken, from: 1, to: $blocks, at: $taken}
  - {name: row_of_blocks, expr: floor(query / $chunk)}
vconcat:
  - name: map
    width: $width
    height: $width
    transform:
      - calculate:
          row: floor(datum.query / $chunk)
          state: "datum.block > datum.row ? 'skipped' : datum.row < row_of_blocks ? 'done'
            : datum.row > row_of_blocks || datum.block >= taken ? 'waiting'
            : datum.block === taken - 1 ? 'now' : 'done'"
          hidden: datum.key > datum.query
          gathered: datum.query === query && !datum.hidden && datum.block < taken
          seen: "datum.gathered ? datum.score : null"
      - {joinaggregate: [{op: max, field: seen, as: top}]}
      - calculate:
          e: "datum.gathered ? exp(datum.score - datum.top) : 0"
          shade: "datum.gathered ? 0.15 + 0.85 * datum.e : datum.hidden ? 0
            : datum.state === 'now' ? 0.45 : datum.state === 'done' ? 0.12 : 0"
    encoding:
      x: {field: key:O, title: key, axis: {ticks: false, domain: false, labelAngle: 0, orient: top}}
      y: {field: query:O, title: query, axis: {ticks: false, domain: false, labelAngle: 0}}
    layer:
      - name: cells
        mark: {type: rect, stroke: currentColor}
        encoding:
          fill: {condition: {test: "datum.gathered || datum.state === 'now'", value: $accent}, value: currentColor}
          fillOpacity: {field: shade:Q, scale: null}
          strokeWidth: {condition: {test: datum.query === query && !datum.hidden, value: 1.6}, value: 0.3}
          strokeOpacity: {condition: {test: datum.state === 'skipped' || datum.hidden, value: 0.25}, value: 1}
      - name: frames
        transform:
          - {filter: datum.state !== 'skipped' && datum.key % $chunk === $middle && datum.query % $chunk === $middle}
        mark: {type: rect, width: $tile, height: $tile, fillOpacity: 0, stroke: currentColor, strokeWidth: 1.8}
      - name: crosses
        transform:
          - filter: datum.state === 'skipped' && datum.key % $chunk === $middle && datum.query % $chunk === $middle
        mark: {type: text, text: "×", fill: currentColor, fontSize: 18}
  - width: $width
    height: 57
    transform:
      # One row for each block that the query has taken: its maximum, sum and weighted values, and the factor.
      - &blocks
        - {filter: datum.query === query && datum.key <= datum.query}
        - {joinaggregate: [{op: max, field: score, as: top}]}
        - {calculate: {e: exp(datum.score - datum.top), ev: datum.e * datum.value}}
        - {joinaggregate: [{op: sum, field: e, as: all_e}, {op: sum, field: ev, as: all_ev}]}
        - {calculate: {whole: datum.all_ev / datum.all_e}}
        - {filter: datum.block < taken}
        - {joinaggregate: [{op: max, field: score, as: block_top}], groupby: [block]}
        - {calculate: {part: exp(datum.score - datum.block_top), part_v: datum.part * datum.value}}
        - aggregate:
            - {op: max, field: block_top, as: m}
            - {op: sum, field: part, as: l}
            - {op: sum, field: part_v, as: o}
            - {op: max, field: whole, as: whole}
          groupby: [block]
        - {joinaggregate: [{op: max, field: m, as: largest}]}
        - {calculate: {factor: exp(datum.m - datum.largest)}}
      - {calculate: {middle: (datum.block + 0.5) * $chunk}}
      - {fold: [m, l, factor], as: [line, number]}
    layer:
      - name: partials
        mark: {type: text, fill: currentColor, fontSize: 12}
        encoding:
          x: {field: middle:Q, scale: {domain: [0, $T], nice: false}, axis: null}
          y:
            field: line:O
            title: null
            scale: {domain: [m, l, factor]}
            axis: {labelExpr: "{'m': 'largest', 'l': 'sum', 'factor': 'factor'}[datum.value]", ticks: false,
                   domain: false}
          text: {field: number:Q, format: ".2f"}
  - width: $width
    height: 38
    transform:
      - *blocks
      - {calculate: {scaled_l: datum.l * datum.factor, scaled_o: datum.o * datum.factor}}
      - aggregate:
          - {op: max, field: largest, as: largest}
          - {op: sum, field: scaled_l, as: sum}
          - {op: sum, field: scaled_o, as: weighted}
          - {op: max, field: whole, as: whole}
      - calculate:
          output: datum.weighted / datum.sum
          words: "'together: largest ' + format(datum.largest, '.2f') + ', sum ' + format(datum.sum, '.2f')
            + '|output ' + format(datum.output, '.3f') + ', of the whole row ' + format(datum.whole, '.3f')"
    layer:
      - name: running
        mark: {type: text, fill: currentColor, fontSize: 14, align: left, lineBreak: "|"}
        encoding: {x: {value: -48}, text: {field: words}}
spacing: 6
bounds: flush
table:
  mark: running_marks
  value: [largest, sum, output, whole]
  corner: ""
  columns: [maximum so far, sum so far, output so far, output of the whole row]
  rows: [chosen query]
"""


def block_steps(
    scores: np.ndarray, values: np.ndarray, chunk: int, *, query: int = 0, taken: int = 1, description: str
) -> Figure:
    """Map of causal scores (T, T) in blocks of ``chunk`` queries and keys, and the partial results of one query.

    Sliders choose the query and how many blocks of keys its row has taken. Below the map are the maximum, the sum of
    exponentials and the rescaling factor of each of these blocks, then maximum, sum and output of the blocks
    together, and the output of the whole row. The page computes all this from the scores and one value for each
    key, (T,), by merging blocks.
    """
    T = len(values)
    rows = [
        {"query": t, "key": s, "block": s // chunk, "score": float(scores[t, s]), "value": float(values[s])}
        for t, s in np.ndindex(T, T)
    ]
    sizes = {
        "T": T,
        "last": T - 1,
        "blocks": T // chunk,
        "chunk": chunk,
        "middle": chunk // 2,
        "width": CELL * T,
        "tile": CELL * chunk,
    }
    return draw(SPEC, description, rows=rows, query=query, taken=taken, **sizes)
