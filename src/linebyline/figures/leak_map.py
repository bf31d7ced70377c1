"""Replace one token and see which outputs move: attention under several masks, computed in the page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearformer import functional as F

from .figure import Figure, draw

CELL = 40  # pixels
SPEC = """
data: {name: pairs, values: $rows}
params:
  - {slider: token, label: Replace the token, from: 0, to: $last_tokens, at: $token, shows: token_name}
  - {name: token_name, expr: "$tokens[token]"}
  - {radio: mask, label: Mask, options: $masks, at: $mask}
transform:
  - calculate:
      allowed: datum.may[mask]
      replaced: datum.key === token
      score_old: datum.scores[0]
      score_new: datum.scores[2 * (datum.query === token) + (datum.key === token)]
  - $outputs
  - {calculate: {moved: sqrt($squares)}}
hconcat:
  - name: map
    width: $width
    height: $width
    encoding:
      x:
        field: key:O
        title: query (rows), key (columns)
        axis: {labelExpr: "$tokens[datum.value]", ticks: false, domain: false, orient: top, labelAngle: 0}
      y:
        field: query:O
        title: null
        axis: {labelExpr: "$tokens[datum.value]", ticks: false, domain: false, labelPadding: 10}
    layer:
      - name: cells
        mark: {type: rect, fill: $accent, stroke: currentColor}
        encoding:
          fillOpacity: {field: weight_new:Q, scale: null}
          strokeWidth: {condition: {test: datum.replaced, value: 2.5}, value: 0.4}
      - name: numbers
        transform: [{calculate: {label: "datum.allowed ? format(datum.weight_new, '.2f') : '–'"}}]
        mark: {type: text, fontSize: 12}
        encoding:
          text: {field: label}
          # White is legible on the accent only where it is nearly opaque.
          color: {condition: {test: datum.weight_new > 0.8, value: white}, value: currentColor}
  - name: movement
    width: 90
    height: $width
    transform: [{filter: datum.key === 0}, {calculate: {fault: $fault}}]
    encoding:
      y: {field: query:O, axis: null}
      x:
        field: moved:Q
        title: moved by
        scale: {domain: [0, $longest], range: [0, 46]}
        axis: {orient: top, labels: false, ticks: false, domain: false}
    layer:
      - name: bars
        mark: {type: bar, height: 17.0}
        encoding: {fill: {condition: {test: datum.fault, value: $second}, value: $accent}}
      - name: lengths
        transform: [{calculate: {label: "format(datum.moved, '.2f') + (datum.fault ? ' !' : '')"}}]
        mark: {type: text, align: left, dx: 4, fontSize: 12, fill: currentColor}
        encoding: {text: {field: label}}
spacing: 14
bounds: flush
table: {mark: bars_marks, value: moved, corner: output, columns: [moved by], rows: $tokens}
"""
QKV = tuple[np.ndarray, np.ndarray, np.ndarray]


def leak_map(
    before: QKV,
    after: QKV,
    tokens: Sequence[str],
    masks: Mapping[str, np.ndarray],
    *,
    token: int = 0,
    mask: int = 0,
    padding: int = 0,
    description: str,
) -> Figure:
    """Map of the attention weights (T, T) while one token is replaced, and the distance by which each output moves.

    A slider chooses the token; its query, key and value come from ``after``, all others from ``before``: queries and
    keys (T, d_k), values (T, d_v). Radio buttons choose one of the boolean masks (T, T).
    The bar of an output that must not have moved is marked: a later token moved it, or one of the first ``padding``
    tokens moved the output of a word.
    """
    T, d_v = before[2].shape
    squares = " + ".join(f"pow(datum.output_new_{i} - datum.output_old_{i}, 2)" for i in range(d_v))
    replaced = "(datum.replaced ? datum.values_after : datum.values)"
    outputs = [*_softmax("old"), *_softmax("new"), *_output("old", "datum.values", d_v), *_output("new", replaced, d_v)]
    fault = f"datum.moved > 1e-12 && (datum.query < token || token < {padding} && datum.query >= {padding})"
    longest = _longest(before, after, masks) or 1
    names, start = {"tokens": list(tokens), "masks": list(masks)}, {"token": token, "mask": mask}
    scales = {"squares": squares, "longest": longest, "width": CELL * T, "fault": fault}
    return draw(SPEC, description, rows=_rows(before, after, masks), outputs=outputs, **names, **start, **scales)


def _rows(before: QKV, after: QKV, masks: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """One row for each query and key: their score with neither, either or both replaced, and the key's values."""
    (q, k, v), (q2, k2, v2) = before, after
    scale = math.sqrt(k.shape[-1])
    return [
        # The score number 2·(query replaced) + (key replaced), summed exactly: any processor has the same numbers.
        {"query": t, "key": s, "scores": [math.fsum(a[t] * b[s]) / scale for a in (q, q2) for b in (k, k2)]}
        | {"values": v[s].tolist(), "values_after": v2[s].tolist()}
        | {"may": [bool(mask[t, s]) for mask in masks.values()]}
        for t, s in np.ndindex(len(q), len(k))
    ]


def _longest(before: QKV, after: QKV, masks: Mapping[str, np.ndarray]) -> float:
    """The longest bar over all tokens and masks."""
    longest = 0.0
    for mask in masks.values():
        output, _ = F.scaled_dot_product_attention(*before, mask)  # (T, d_v)
        for token in range(len(output)):
            chosen = np.arange(len(output))[:, None] == token  # (T, 1)
            q, k, v = (np.where(chosen, new, old) for old, new in zip(before, after, strict=True))
            moved = F.scaled_dot_product_attention(q, k, v, mask)[0] - output
            longest = max(longest, float(np.linalg.norm(moved, axis=-1).max()))
    return float(f"{longest:.6g}")


def _softmax(time: str) -> list[dict[str, Any]]:
    """Weights over the allowed keys of a row; a row without keys has zeros."""
    logit, top, exp, total = (f"{name}_{time}" for name in ("logit", "top", "exp", "total"))
    return [
        {"calculate": f"datum.allowed ? datum.score_{time} : null", "as": logit},
        {"joinaggregate": [{"op": "max", "field": logit, "as": top}], "groupby": ["query"]},
        {"calculate": f"datum.allowed ? exp(datum.{logit} - datum.{top}) : 0", "as": exp},
        {"joinaggregate": [{"op": "sum", "field": exp, "as": total}], "groupby": ["query"]},
        {"calculate": f"datum.{total} > 0 ? datum.{exp} / datum.{total} : 0", "as": f"weight_{time}"},
    ]


def _output(time: str, values: str, d_v: int) -> list[dict[str, Any]]:
    """The sum of the weighted values of a row, feature by feature."""
    terms = [{"calculate": f"datum.weight_{time} * {values}[{i}]", "as": f"term_{time}_{i}"} for i in range(d_v)]
    sums = [{"op": "sum", "field": f"term_{time}_{i}", "as": f"output_{time}_{i}"} for i in range(d_v)]
    return [*terms, {"joinaggregate": sums, "groupby": ["query"]}]
