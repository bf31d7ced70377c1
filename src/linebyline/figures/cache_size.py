"""How large the cache of keys and values grows: several models side by side, computed in the page."""

from collections.abc import Mapping

from .figure import Figure, draw

CARD = 80  # GiB of a large graphics card
SPEC = """
data: {name: values, values: $rows}
params:
  - {slider: power, label: Tokens in the cache, from: 10, to: 17, at: 12, shows: said}
  - {radio: chosen, label: Bytes of one number, options: ["1", "2", "4"], at: 1}
  - {name: tokens, expr: "pow(2, power)"}
  - {name: bytes, expr: "pow(2, chosen)"}
  - {name: said, expr: "format(tokens, ',')"}
transform:
  - calculate:
      gib: datum.numbers * bytes * min(tokens, datum.window) / 1073741824
      full: datum.gib * datum.group
      label: "datum.gib < 1 ? format(datum.gib * 1024, '.3~r') + ' MiB' : format(datum.gib, '.3~r') + ' GiB'"
      unshared: >-
        datum.group == 1 ? '' : datum.full < 1 ? format(datum.full * 1024, '.3~r') + ' MiB'
        : format(datum.full, '.3~r') + ' GiB'
height: {step: 60}
width: 290
beside: true
encoding: {y: {field: model:N, title: null, sort: null, axis: null}}
layer:
  - name: card
    transform: &once [{filter: "datum.model === '$first'"}]
    mark: {type: rule, stroke: currentColor, strokeWidth: 2, opacity: 0.7}
    encoding:
      x: &x
        field: card:Q
        title: memory (log scale)
        scale: {type: log, domain: [0.001953125, 1024]}
        axis:
          values: [0.03125, 1, 32]
          labelOverlap: false
          labelExpr: "datum.value < 1 ? datum.value * 1024 + ' MiB' : datum.value + ' GiB'"
      y: {value: 0}
      y2: {value: height}
  - name: card_label
    transform: *once
    mark: {type: text, fill: currentColor, align: right, dx: 50, text: "large card: 80 GiB"}
    encoding: {x: *x, y: {value: -8}}
  - name: key_built
    transform: *once
    mark: {type: point, filled: true, fill: $themed, size: 130}
    encoding: {x: {value: 8}, y: {value: -34}}
  - name: key_built_label
    transform: *once
    mark: {type: text, fill: currentColor, align: left, text: as built}
    encoding: {x: {value: 20}, y: {value: -34}}
  - name: key_full
    transform: *once
    mark: {type: point, filled: false, stroke: currentColor, strokeWidth: 2, size: 90}
    encoding: {x: {value: 98}, y: {value: -34}}
  - name: key_full_label
    transform: *once
    mark: {type: text, fill: currentColor, align: left, text: without sharing}
    encoding: {x: {value: 110}, y: {value: -34}}
  - name: names
    mark: {type: text, fill: currentColor, align: left, dy: -20, fontWeight: bold}
    encoding: {x: {value: 0}, text: {field: model:N}}
  - name: spans
    mark: {type: rule, stroke: currentColor, strokeDash: [3, 3]}
    encoding:
      x: {<<: *x, field: gib:Q}
      x2: {field: full}
      opacity: &faded {condition: {test: tokens > datum.longest, value: 0.35}, value: 1}
  - name: full
    mark: {type: point, filled: false, stroke: currentColor, strokeWidth: 2, size: 90}
    encoding: {x: {<<: *x, field: full:Q}, opacity: *faded}
  - name: built
    mark: {type: point, filled: true, fill: $themed, size: 130}
    encoding: {x: {<<: *x, field: gib:Q}, opacity: *faded}
  - name: labels
    mark: {type: text, fill: currentColor, dy: 17}
    encoding: {x: {<<: *x, field: gib:Q}, text: {field: label}}
  - name: hollow_labels
    mark: {type: text, fill: currentColor, dy: -14}
    encoding: {x: {<<: *x, field: full:Q}, text: {field: unshared}}
table:
  mark: built_marks
  value: [gib, full]
  corner: model
  columns: [GiB as built, GiB with keys for every head]
  rows: $models
"""


def cache_size(
    models: Mapping[str, tuple[int, int, int, int]],
    *,
    longest: Mapping[str, int],
    windows: Mapping[str, int],
    description: str,
) -> Figure:
    """Gibibytes of the key-value cache of each model, (n_layers, n_heads, n_kv_heads, d_k), on a logarithmic axis.

    Controls set the number of tokens and the bytes of a number. A filled mark is the model as built, a hollow one
    the same model with keys and values for every head; a line marks the memory of a large graphics card.
    A model with a window keeps no more tokens than that. Beyond the ``longest`` text of a model its marks are faded.
    """
    every = 2.0**17  # the most tokens of the slider
    rows = [
        {
            "model": name,
            "numbers": 2 * n_layers * n_kv_heads * d_k,
            "group": n_heads // n_kv_heads,
            "window": windows.get(name, every),
            "longest": longest[name],
            "card": CARD,
        }
        for name, (n_layers, n_heads, n_kv_heads, d_k) in models.items()
    ]
    return draw(SPEC, description, rows=rows, models=list(models), first=next(iter(models)))
