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
  - $sizes
  - {slider: power, label: Tokens in the cache, from: 8, to: 17, at: 12, shows: tokens}
  - {name: tokens, expr: "pow(2, power)"}
  - $machine
  # The same sums as in `linebyline.decoder_sizes`, written for Vega.
  - {name: d_k, expr: floor(d_model / n_heads)}
  - {name: tables, expr: vocab_size * d_model}
  - {name: attention, expr: 2 * d_model * (n_heads + n_kv_heads) * d_k}
  - {name: feed_forward, expr: "(model.gated ? 3 : 2) * d_model * d_ff"}
  - {name: matrices, expr: n_layers * (attention + feed_forward) + tables}
  - {name: norms, expr: (2 * n_layers + 1) * d_model}
  - {name: products, expr: (n_heads + 2 * n_kv_heads) * d_k + 2 * d_model + d_ff}
  - {name: added, expr: "model.biases ? norms + n_layers * products : 0"}
  - {name: parameters, expr: "matrices + (model.tied ? 0 : tables) + model.positions * d_model + norms + added"}
  - {name: cache, expr: $cached * n_layers * n_kv_heads * d_k * tokens}
  - {name: operations, expr: 2 * matrices + 4 * n_layers * n_heads * d_k * tokens}
  - {name: fetching, expr: (matrices * bits / 8 + cache) / (1e9 * bandwidth)}
  - {name: computing, expr: operations / (1e12 * rate)}
vconcat:
  - width: 130
    height: {step: 24}
    transform:
      - calculate:
          value: $value
          label: "format(datum.value, datum.value < 100 ? ',.3~r' : ',.0f') + ' ' + datum.unit"
          warning: "n_heads % n_kv_heads ? n_heads + ' heads cannot share ' + n_kv_heads + ' evenly' : ''"
    encoding: {y: {field: sum:N, title: null, sort: null, axis: {ticks: false, domain: false}}}
    layer:
      - name: numbers
        mark: {type: text, fill: currentColor, align: left, fontWeight: bold}
        encoding: {x: {value: 6}, text: {field: label}}
      - name: warnings
        transform: [{filter: datum.number === 0}]
        mark: {type: text, fill: currentColor, align: left}
        encoding: {x: {value: -110}, y: {value: -12}, text: {field: warning}}
  # Milliseconds of a token: to fetch its weights and cache, and to compute with them.
  - width: 160
    height: {step: 30}
    transform:
      - {filter: datum.number < 2}
      - calculate:
          work: "datum.number ? 'compute' : 'fetch'"
          milliseconds: "1000 * (datum.number ? computing : fetching)"
          said: "format(datum.milliseconds, datum.milliseconds < 100 ? '.2~r' : ',.0f') + ' ms'"
    encoding:
      # The axis stays where it is, so that a bar grows or shrinks with its time.
      x:
        field: milliseconds:Q
        title: milliseconds for a token
        scale: {type: log, domain: [1, 10000], clamp: true}
        axis: {values: [1, 10, 100, 1000, 10000], format: "~s"}
      y: {field: work:N, title: null, sort: null, axis: {ticks: false, domain: false}}
    layer:
      - name: times
        mark: {type: bar, fill: $accent, height: 18}
        encoding: {x2: {datum: 1}}
      - name: times_said
        mark: {type: text, fill: currentColor, align: left, dx: 5, fontWeight: bold}
        encoding: {text: {field: said}}
spacing: 14
table: {mark: numbers_marks, value: value, corner: sum, columns: [value], rows: $sums}
"""
HEADS = [1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128]
WIDTHS = [256, 512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 8192, 12288, 16384]
# What each slider offers after its first position, which is the size of the published model.
SIZES = {
    "d_model": ("Width of the model", WIDTHS),
    "n_layers": ("Blocks", [2, 4, 6, 8, 12, 16, 22, 24, 32, 40, 48, 64, 80, 96, 128]),
    "n_heads": ("Query heads", HEADS),
    "n_kv_heads": ("Key-value heads", HEADS),
    "d_ff": (
        "Width of the feed-forward layers",
        [1024, 2048, 3072, 4096, 5632, 8192, 11008, 14336, 16384, 20480, 28672, 49152],
    ),
    "vocab_size": ("Tokens in the vocabulary", [256, 1024, 8192, 32000, 50257, 65536, 128256, 262144]),
}
RATES: list[float] = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
# What each slider offers, and the position at which it begins.
MACHINE: dict[str, tuple[str, list[float], int]] = {
    "bits": ("Bits of a weight", [2, 3, 4, 4.5, 5, 6, 8, 16, 32], 7),
    "bandwidth": ("Gigabytes a second from memory", [10, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400], 3),
    "rate": ("Trillion operations a second", RATES, 5),
}
SUMS = {  # of each a unit and an expression
    "parameters": ("million", "parameters / 1e6"),
    "weights": ("GB", "parameters * bits / 8 / 1e9"),
    "cache": ("GB", "cache / 1e9"),
    "to fetch": ("GB for a token", "(matrices * bits / 8 + cache) / 1e9"),
    "to compute": ("billion operations", "operations / 1e9"),
    "at most": ("tokens a second", "min(1 / fetching, 1 / computing)"),
}


def model_sizes(models: Mapping[str, DecoderSizes], *, model: int = 0, description: str) -> Figure:
    """Sums over the sizes of a decoder, computed in the page.

    Radio buttons choose a published model, at first number ``model``. A slider for each size replaces that size; at
    its left end the size is as published. More sliders set the tokens in the cache, the bits of a weight, and the
    bandwidth and the speed of the machine. Below the sums two bars show how long a token takes to fetch and to
    compute; the longer one decides.
    """
    value = " : ".join(f"datum.number === {n} ? {expression}" for n, (_, expression) in enumerate(SUMS.values()))
    sizes = [
        each
        for name, (label, stops) in SIZES.items()
        for each in _slider(name, label, len(stops), 0, f"{name}_choice ? {stops}[{name}_choice - 1] : model.{name}")
    ]
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
    return draw(SPEC, description, rows=rows, sizes=sizes, machine=machine, **sums, **known)


def _slider(name: str, label: str, last: int, at: int, expression: str) -> list[dict[str, Any]]:
    """A slider over the positions of some values, and the value at its position."""
    slider = {"slider": f"{name}_choice", "label": label, "from": 0, "to": last, "at": at, "shows": name}
    return [slider, {"name": name, "expr": expression}]
