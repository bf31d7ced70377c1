"""A calculator: from the sizes of a decoder to its parameters, its memory, its operations and its speed."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from linebyline.decoder_sizes import CACHED, DecoderSizes

from .figure import Figure, draw

SPEC = """
data: {name: sums, values: $rows}
params:
  - {name: published, value: $published}
  - {radio: chosen, label: Model, options: $models, at: $model}
  - {name: model, expr: "published[chosen]"}
  - {slider: power, label: Tokens in the cache, from: 8, to: 17, at: 13, shows: tokens}
  # A table of learned positions is the longest text; rotations have no such end.
  - {name: tokens, expr: "model.positions ? min(model.positions, pow(2, power)) : pow(2, power)"}
  - $machine
  # The same sums as in `linebyline.decoder_sizes`, written for Vega.
  - {name: d_model, expr: model.d_model}
  - {name: n_layers, expr: model.n_layers}
  - {name: n_heads, expr: model.n_heads}
  - {name: n_kv_heads, expr: model.n_kv_heads}
  - {name: d_ff, expr: model.d_ff}
  - {name: d_k, expr: floor(d_model / n_heads)}
  - {name: tables, expr: model.vocab_size * d_model}
  - {name: attention, expr: 2 * d_model * (n_heads + n_kv_heads) * d_k}
  - {name: feed_forward, expr: "(model.gated ? 3 : 2) * d_model * d_ff"}
  - {name: matrices, expr: n_layers * (attention + feed_forward) + tables}
  - {name: norms, expr: (2 * n_layers + 1) * d_model}
  - {name: products, expr: (n_heads + 2 * n_kv_heads) * d_k + 2 * d_model + d_ff}
  - {name: added, expr: "model.biases ? norms + n_layers * products : 0"}
  - {name: parameters, expr: "matrices + (model.tied ? 0 : tables) + model.positions * d_model + norms + added"}
  - {name: cache, expr: $cached * n_layers * n_kv_heads * d_k * tokens}
  - {name: together, expr: parameters * bits / 8 + cache}
  - {name: operations, expr: 2 * matrices + 4 * n_layers * n_heads * d_k * tokens}
  - {name: fetching, expr: (matrices * bits / 8 + cache) / (1e9 * bandwidth)}
  - {name: computing, expr: operations / (1e12 * rate)}
vconcat:
  - width: 130
    height: {step: 24}
    transform:
      - calculate:
          value: $value
          room: "together < 1e9 * memory"
          if_it_fits: "datum.sum === 'at most' && !datum.room ? ', if it fit' : ''"
          fits: "datum.sum !== 'together' ? datum.if_it_fits : datum.room ? ', fits' : ', does not fit'"
          label: "format(datum.value, datum.value < 100 ? ',.3~r' : ',.0f') + ' ' + datum.unit + datum.fits"
    encoding: {y: {field: sum:N, title: null, sort: null, axis: {ticks: false, domain: false}}}
    layer:
      - name: numbers
        mark: {type: text, fill: currentColor, align: left, fontWeight: bold}
        encoding: {x: {value: 6}, text: {field: label}}
  # Milliseconds of a token: to fetch its weights and cache, and to compute with them.
  - width: 160
    height: {step: 30}
    transform:
      - {filter: datum.number < 2}
      - calculate:
          work: "datum.number ? 'compute' : 'fetch'"
          milliseconds: "1000 * (datum.number ? computing : fetching)"
          longer: "(datum.number ? computing > fetching : fetching >= computing)"
          digits: "datum.milliseconds < 100 ? '.2~r' : ',.0f'"
          said: "format(datum.milliseconds, datum.digits) + ' ms' + (datum.longer ? ', decides' : '')"
    encoding:
      # The axis stays where it is, so that a point moves with its time.
      x:
        field: milliseconds:Q
        title: milliseconds for a token
        scale: {type: log, domain: [0.01, 10000], clamp: true}
        axis: {values: [0.01, 1, 100, 10000], format: "~r"}
      y: {field: work:N, title: null, sort: null, axis: {ticks: false, domain: false}}
    layer:
      - name: times
        mark: {type: point, filled: true, size: 130, opacity: 1}
        encoding: {color: {field: work:N, scale: {domain: [fetch, compute], range: [$accent, $second]}, legend: null}}
      - name: times_said
        mark: {type: text, fill: currentColor, align: left, dx: 10, fontWeight: bold}
        encoding: {text: {field: said}}
spacing: 14
table: {mark: numbers_marks, value: value, corner: sum, columns: [value], rows: $sums}
"""
RATES: list[float] = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
# What each slider offers, and the position at which it begins.
MACHINE: dict[str, tuple[str, list[float], int]] = {
    "bits": ("Bits per weight", [2, 3, 4, 4.5, 5, 6, 8, 16, 32], 3),
    "memory": ("Memory, GB", [4, 8, 16, 24, 32, 48, 64, 96, 128, 192], 1),
    "bandwidth": ("Memory bandwidth, GB a second", [10, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400], 3),
    "rate": ("Trillion operations a second", RATES, 5),
}
SUMS = {  # of each a unit and an expression
    "parameters": ("million", "parameters / 1e6"),
    "weights": ("GB", "parameters * bits / 8 / 1e9"),
    "cache": ("GB", "cache / 1e9"),
    "together": ("GB", "together / 1e9"),
    "to fetch": ("GB for a token", "(matrices * bits / 8 + cache) / 1e9"),
    "to compute": ("billion operations", "operations / 1e9"),
    "at most": ("tokens a second", "min(1 / fetching, 1 / computing)"),
}


def model_sizes(models: Mapping[str, DecoderSizes], *, model: int = 0, description: str) -> Figure:
    """Sums over the sizes of a decoder, computed in the page.

    Radio buttons choose a published model, at first number ``model``. Sliders set the tokens in the cache, the bits of
    a weight, and the size, the bandwidth and the speed of the machine. One sum says whether weights and cache fit into
    memory. Below the sums two points show how long a token takes to fetch and to compute; the longer time decides.
    """
    value = " : ".join(f"datum.number === {n} ? {expression}" for n, (_, expression) in enumerate(SUMS.values()))
    machine = [
        each
        for name, (label, stops, at) in MACHINE.items()
        for each in _slider(name, label, len(stops) - 1, at, f"{stops}[{name}_choice]")
    ]
    sums = {
        "sums": [f"{name}, {unit}" for name, (unit, _) in SUMS.items()],
        "value": f"{value} : 0",
        "cached": 2 * CACHED,
    }
    known = {"models": list(models), "published": [asdict(each) for each in models.values()], "model": model}
    rows = [{"sum": name, "unit": unit, "number": n} for n, (name, (unit, _)) in enumerate(SUMS.items())]
    return draw(SPEC, description, rows=rows, machine=machine, **sums, **known)


def _slider(name: str, label: str, last: int, at: int, expression: str) -> list[dict[str, Any]]:
    """A slider over the positions of some values, and the value at its position."""
    slider = {"slider": f"{name}_choice", "label": label, "from": 0, "to": last, "at": at, "shows": name}
    return [slider, {"name": name, "expr": expression}]
