"""From logits to probabilities, with sliders for every processor of `clearformer.decoding.pipeline`."""

from collections.abc import Collection, Sequence

import numpy as np

from .figure import Figure, draw

SHOWN, FEW, ROW = 10, 8, 21  # tokens with cuts and without, and pixels for each
STEPS = {"penalties", "temperature", "cuts"}
# Few enough to step through with the arrow keys; the last stop, the whole vocabulary, is added.
TOP_K = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 100, 200)
SPEC = """
data: {name: tokens, values: $rows}
params:
  - {radio: context, label: $choose, options: $contexts, at: $context}
  - {if: $penalties, slider: frequency, label: Frequency α, from: 0, to: 2, at: 0, step: 0.1}
  - {if: $penalties, slider: presence, label: Presence β, from: 0, to: 2, at: 0, step: 0.1}
  - {if: $penalties, slider: repetition, label: Repetition ρ, from: 1, to: 2, at: $rho, step: 0.05}
  - {if: $heat, slider: tau, label: Temperature τ, from: 0.05, to: 4, at: $tau, step: 0.05}
  - {if: $cuts, slider: k_stop, label: Top-k, from: 0, to: $last_stops, at: $last_stops, shows: k}
  - {name: k, expr: "$stops[k_stop]"}
  - {if: $cuts, slider: p, label: Top-p, from: 0.05, to: 1, at: $top_p, step: 0.01}
  - {if: $cuts, slider: min_p, label: Min-p, from: 0, to: 0.5, at: $min_p, step: 0.01}
  # The steps without a slider change nothing.
  - {if: $no_penalties, name: frequency, value: 0}
  - {if: $no_penalties, name: presence, value: 0}
  - {if: $no_penalties, name: repetition, value: 1}
  - {if: $no_heat, name: tau, value: 1}
  - {if: $no_cuts, name: k_stop, value: $last_stops}
  - {if: $no_cuts, name: p, value: 1}
  - {if: $no_cuts, name: min_p, value: 0}
transform:
  # Softmax of the logits as they are, and the order in which tokens are drawn.
  - calculate:
      logit: datum.logits[context]
      count: datum.counts[context]
  - {window: [{op: row_number, as: place}], sort: [{field: logit, order: descending}, {field: id, order: ascending}]}
  - {joinaggregate: [{op: max, field: logit, as: logit_top}]}
  - {calculate: {logit_exp: exp(datum.logit - datum.logit_top)}}
  - {joinaggregate: [{op: sum, field: logit_exp, as: logit_total}]}
  - calculate:
      before: datum.logit_exp / datum.logit_total
      # The three penalties, then the temperature.
      subtracted: "datum.logit - frequency * datum.count - (datum.count > 0 ? presence : 0)"
      penalized: "datum.count === 0 ? datum.subtracted
        : datum.subtracted < 0 ? datum.subtracted * repetition : datum.subtracted / repetition"
      scaled: datum.penalized / tau
  # Top-k with its ties, top-p from the unlikely end, min-p: which tokens are kept.
  - {window: [{op: rank, as: rank}], sort: [{field: scaled, order: descending}]}
  - {joinaggregate: [{op: max, field: scaled, as: scaled_top}]}
  - {calculate: {exp: exp(datum.scaled - datum.scaled_top), exp_top_k: "datum.rank <= k ? datum.exp : 0"}}
  - {joinaggregate: [{op: sum, field: exp, as: total}]}
  - {joinaggregate: [{op: sum, field: exp_top_k, as: total_top_k}]}
  - {calculate: {share: datum.exp_top_k / datum.total_top_k}}
  - window: [{op: sum, field: share, as: below}]
    sort: [{field: scaled, order: ascending}, {field: id, order: ascending}]
    frame: [null, 0]
  - calculate:
      kept: "datum.rank <= k && (p === 1 || datum.below > 1 - p) && datum.exp >= min_p ? 1 : 0"
      exp_kept: "datum.kept ? datum.exp : 0"
  # Softmax of what is kept, and the contribution of each token to the lines of text.
  - {joinaggregate: [{op: sum, field: exp_kept, as: total_kept}]}
  - calculate:
      after: datum.exp_kept / datum.total_kept
      mass: datum.exp_kept / datum.total
      surprise_before: "datum.before > 0 ? -datum.before * log(datum.before) : 0"
      surprise_after: "datum.after > 0 ? -datum.after * log(datum.after) : 0"
vconcat:
  - name: bars
    width: 170
    height: $height
    transform: [{filter: datum.place <= $shown}]
    encoding: {y: {field: place:O, axis: null, scale: {padding: 0.15}}}
    layer:
      - name: outlines
        mark: {type: bar, fill: currentColor, fillOpacity: 0.12, stroke: currentColor}
        encoding:
          x: {field: before:Q, title: probability, scale: {nice: true}, axis: {orient: top, tickCount: 4}}
          strokeWidth: {value: 0.5}
      - name: afters
        mark: {type: bar, fill: $accent, height: {band: 0.5}}
        encoding: {x: {field: after:Q, scale: {nice: true}}}
      - name: names
        mark: {type: text, fill: currentColor, align: right, limit: $name_limit}
        encoding:
          x: {value: $name_at}
          text: {field: token}
          opacity: &kept {condition: {test: datum.kept, value: 1}, value: 0.75}
      - if: $penalties
        name: used
        transform: [{calculate: {label: "datum.count + '×'"}}]
        mark: &count {type: text, fill: currentColor, align: right}
        encoding: {x: {value: -8}, text: {field: label}}
      - if: $penalties
        name: used_title
        transform: [{filter: datum.place === 1}]
        mark: *count
        encoding: {x: {value: -8}, y: {value: -9}, text: {value: used}}
      - name: numbers
        transform: [{calculate: {label: "datum.kept ? format(datum.after, '.3f') : 'out'"}}]
        mark: {type: text, fill: currentColor, align: left}
        encoding: {x: {value: 176}, text: {field: label}, opacity: *kept}
  - name: sums
    width: 170
    height: $sums_height
    transform:
      - aggregate:
          - {op: sum, field: kept, as: kept}
          - {op: sum, field: mass, as: mass}
          - {op: sum, field: surprise_before, as: entropy_before}
          - {op: sum, field: surprise_after, as: entropy}
          - {op: argmax, field: scaled, as: best}
      - calculate:
          line_0: "'keeps ' + datum.kept + ' of $vocab_size tokens'"
          line_1: "'with ' + format(datum.mass, '.3f') + ' of the probability'"
          line_2: $last_line
    layer:
      - name: sums_2
        mark: &bold {type: text, fill: currentColor, fontWeight: bold}
        encoding: {x: {value: 39.0}, y: {value: $entropy_at}, text: {field: line_2}}
      - {if: $cuts, name: sums_0, mark: *bold, encoding: {x: {value: 39.0}, y: {value: 14}, text: {field: line_0}}}
      - {if: $cuts, name: sums_1, mark: *bold, encoding: {x: {value: 39.0}, y: {value: 36}, text: {field: line_1}}}
spacing: 8
table:
  mark: names_marks
  value: $columns_of
  sort: place
  corner: rank before
  columns: $headings
  rows: $ranks
"""
ENTROPY = "'entropy ' + format(datum.entropy_before, '.2f') + ' → ' + format(datum.entropy, '.2f') + ' nats'"
WINNER = "'greedy decoding takes ' + datum.best.token"  # with penalties alone


def decoding_explorer(
    logits: np.ndarray,
    tokens: Sequence[str],
    *,
    contexts: Sequence[str],
    choose: str = "Context",
    counts: np.ndarray,
    context: int = 0,
    repetition: float = 1.0,
    tau: float = 1.0,
    top_p: float = 1,
    min_p: float = 0,
    steps: Collection[str] = STEPS,
    description: str,
) -> Figure:
    """Bars of the next token's probabilities, before and after penalties, temperature and cuts.

    Buttons choose one of the contexts, and sliders set each step of `clearformer.decoding.pipeline`, in its order,
    for its logits (n_contexts, vocab_size) and the ``counts`` of earlier tokens, integers of the same shape. The page
    computes with all tokens and draws the likeliest before; below are the number of tokens kept, their probability
    mass, and the entropy before and after. The figure opens at a ``context`` with the values given.

    Only the ``steps`` named have sliders, of "penalties", "temperature" and "cuts". Without cuts fewer tokens are
    drawn, and what is kept is not counted. The buttons have the label ``choose``. With penalties alone, the line below
    names the token that greedy decoding takes.
    """
    vocab_size = len(tokens)
    rows = [
        {"id": i, "token": token, "logits": logits[:, i].tolist(), "counts": counts[:, i].tolist()}
        for i, token in enumerate(tokens)
    ]
    with_cuts = "cuts" in steps
    shown = min(SHOWN if with_cuts else FEW, vocab_size)
    stops = [k for k in TOP_K if k < vocab_size] + [vocab_size]
    sizes = {"vocab_size": vocab_size, "shown": shown, "height": ROW * shown}
    names = {"contexts": list(contexts), "ranks": [str(rank + 1) for rank in range(shown)]}
    parts = {"penalties": "penalties" in steps, "heat": "temperature" in steps, "cuts": with_cuts}
    parts |= {f"no_{part}": not there for part, there in parts.items()}
    places = {"sums_height": 66 if with_cuts else 22, "entropy_at": 58 if with_cuts else 14}
    opening = {"context": context, "rho": repetition, "tau": tau, "top_p": top_p, "min_p": min_p}
    used: dict[str, object] = {
        "name_at": -42 if parts["penalties"] else -8,
        "name_limit": 50 if parts["penalties"] else 84,
    }
    used |= {"choose": choose, "last_line": WINNER if set(steps) == {"penalties"} else ENTROPY}
    columns = {"token": "token", "count": "times before", "before": "before", "after": "after"}
    if "penalties" not in steps:
        del columns["count"]
    table = {"columns_of": list(columns), "headings": list(columns.values())}
    return draw(
        SPEC, description, rows=rows, stops=stops, **opening, **names, **sizes, **parts, **places, **used, **table
    )
