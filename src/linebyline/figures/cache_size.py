"""How large the cache of keys and values grows: several models side by side, computed in the page."""

from collections.abc import Mapping

from .figure import Figure, draw

SPEC = """
data: {name: values, values: $rows}
params:
  - {slider: power, label: Tokens in the cache, from: 8, to: 17, at: 12, shows: said}
  - {slider: bytes, label: Bytes of one number, from: 1, to: 4, at: 2}
  - {name: tokens, expr: "pow(2, power)"}
  - {name: said, expr: "'2^' + power + ' = ' + format(tokens, ',')"}
transform:
  - calculate:
      gib: datum.numbers * bytes * tokens / 1073741824
      full: datum.gib * datum.group
      label: "datum.gib < 1 ? format(datum.gib * 1024, '.3~r') + ' MiB' : format(datum.gib, '.3~r') + ' GiB'"
height: {step: 46}
width: 300
encoding: {y: {field: model:N, title: null, sort: null, axis: {ticks: false, domain: false}}}
layer:
  - name: spans
    mark: {type: rule, stroke: currentColor, strokeDash: [3, 3]}
    encoding:
      x: &x
        field: gib:Q
        title: keys and values (each step is a factor of 1,024)
        scale: {type: log, domain: [0.0009765625, 4096]}
        axis:
          values: [0.0009765625, 1, 1024]
          labelExpr: "datum.value < 1 ? '1 MiB' : datum.value > 1 ? '1 TiB' : '1 GiB'"
      x2: {field: full}
  - name: full
    mark: {type: point, filled: false, stroke: currentColor, strokeWidth: 2, size: 90}
    encoding: {x: {<<: *x, field: full:Q}}
  - name: without
    transform: [{filter: datum.group > 1}]
    mark: {type: text, fill: currentColor, dy: 18}
    encoding: {x: {<<: *x, field: full:Q}, text: {value: unshared}}
  - {name: built, mark: {type: point, filled: true, fill: $accent, opacity: 1, size: 130}, encoding: {x: *x}}
  - {name: labels, mark: {type: text, fill: currentColor, dy: -15}, encoding: {x: *x, text: {field: label}}}
table:
  mark: built_marks
  value: [gib, full]
  corner: model
  columns: [GiB as built, GiB with keys for every head]
  rows: $models
"""


def cache_size(models: Mapping[str, tuple[int, int, int, int]], *, description: str) -> Figure:
    """Gibibytes of the key-value cache of each model, (n_layers, n_heads, n_kv_heads, d_k), on a logarithmic axis.

    Sliders set the number of tokens and the bytes of a number. A filled mark is the model as built, a hollow one
    the same model with keys and values for every head.
    """
    rows = [
        {"model": name, "numbers": 2 * n_layers * n_kv_heads * d_k, "group": n_heads // n_kv_heads}
        for name, (n_layers, n_heads, n_kv_heads, d_k) in models.items()
    ]
    return draw(SPEC, description, rows=rows, models=list(models))
