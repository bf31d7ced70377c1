"""A calculator: from the sizes of a decoder to its parameters, its memory, its work and its speed."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from linebyline.sizes import CACHED, Sizes

from .figure import ACCENT, Figure, figure, radio, slider

ROW, WIDTH, NUMBERS = 30, 290, 150  # pixels
# What each slider offers beside what was published, which is its first position.
CHOICES = {
    "d_model": [256, 512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 6144, 8192, 12288, 16384],
    "n_layers": [2, 4, 6, 8, 12, 16, 22, 24, 32, 40, 48, 64, 80, 96, 128],
    "n_heads": [1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128],
    "n_kv_heads": [1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128],
    "d_ff": [1024, 2048, 3072, 4096, 5632, 8192, 11008, 14336, 16384, 20480, 28672, 49152],
    "vocab_size": [256, 1024, 8192, 32000, 50257, 65536, 128256, 262144],
}
LABELS = {
    "d_model": "Width of the model",
    "n_layers": "Blocks",
    "n_heads": "Heads of queries",
    "n_kv_heads": "Heads of keys and values",
    "d_ff": "Width of the feed-forward layers",
    "vocab_size": "Tokens in the vocabulary",
}
BITS: list[float] = [2, 3, 4, 5, 6, 8, 16, 32]
BANDWIDTHS: list[float] = [10, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400]  # gigabytes a second
RATES = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]  # tera-operations a second
# The same sums as in `Sizes`; the letters are Vega's.
SUMS = {
    "d_k": "floor(d_model / n_heads)",
    "tables": "vocab_size * d_model",
    "attention": "2 * d_model * (n_heads + n_kv_heads) * d_k",
    "feed_forward": "(model.gated ? 3 : 2) * d_model * d_ff",
    "matrices": "n_layers * (attention + feed_forward) + tables",
    "norms": "(2 * n_layers + 1) * d_model",
    "products": "(n_heads + 2 * n_kv_heads) * d_k + 2 * d_model + d_ff",
    "added": "model.biases ? norms + n_layers * products : 0",
    "parameters": "matrices + (model.tied ? 0 : tables) + model.positions * d_model + norms + added",
    "cache": f"{2 * CACHED} * n_layers * n_kv_heads * d_k * tokens",
    "operations": "2 * matrices + 4 * n_layers * n_heads * d_k * tokens",
    "fetching": "(matrices * bits / 8 + cache) / (1e9 * bandwidth)",
    "computing": "operations / (1e12 * rate)",
}
RESULTS = {
    "million parameters": "parameters / 1e6",
    "GiB of weights": "parameters * bits / 8 / pow(2, 30)",
    "GiB of cache": "cache / pow(2, 30)",
    "billion operations a token": "operations / 1e9",
    "tokens a second": "min(1 / fetching, 1 / computing)",
}


def model_sizes(models: Mapping[str, Sizes], *, model: int = 0, tokens: int = 12, description: str = "") -> Figure:
    """Interactive sums over the sizes of a decoder, computed in the page.

    Radio buttons choose a published model. Each slider of a size replaces one of its sizes; at its left end the size
    is as published. More sliders set the tokens in the cache, the bits of a weight and what the machine can do.
    Below the sums two bars show what a token takes to fetch and to compute; the longer one decides.

    Args:
        models: Name and sizes of each model, two at least.
        model: Number of the one that is chosen at first.
        tokens: Where the slider of the cache stands at first: a power of two from 8 to 17.
        description: Alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no choice of models, or a start does not exist.

    Example:
        >>> small = Sizes(8, 2, 2, 1, 16, 32)
        >>> model_sizes({"one": small, "other": small}, description="Two models.")
        Two models.
    """
    if len(models) < 2 or not 0 <= model < len(models):
        raise ValueError(f"model={model} must be one of {len(models)} models, of which two are needed")
    body = {
        "data": {"name": "sums", "values": [{"sum": name, "number": n} for n, name in enumerate(RESULTS)]},
        "params": [*_controls(models, model, tokens), *({"name": n, "expr": expr} for n, expr in SUMS.items())],
        "vconcat": [_results(), _times()],
        "spacing": 14,
    }
    table = {
        "mark": "numbers_marks",
        "value": "value",
        "corner": "sum",
        "columns": ["value"],
        "rows": list(RESULTS),
    }
    outputs = {f"{name}_choice": name for name in CHOICES}
    outputs |= {"power": "tokens", "bits_choice": "bits", "bandwidth_choice": "bandwidth", "rate_choice": "rate"}
    return figure(description, table, body, outputs=outputs)


def _controls(models: Mapping[str, Sizes], model: int, tokens: int) -> list[dict[str, Any]]:
    """The sliders, and what they stand for: the first position of a size is that of the chosen model."""
    params: list[dict[str, Any]] = [
        {"name": "published", "value": [asdict(sizes) for sizes in models.values()]},
        radio("chosen", "Model", list(models), model),
        {"name": "model", "expr": "published[chosen]"},
    ]
    for name, choices in CHOICES.items():
        params += [
            slider(f"{name}_choice", LABELS[name], 0, len(choices), 0),
            {"name": name, "expr": f"{name}_choice ? {choices}[{name}_choice - 1] : model.{name}"},
        ]
    machine: dict[str, tuple[str, list[float], float]] = {
        "bits": ("Bits of a weight", BITS, 16),
        "bandwidth": ("Gigabytes a second from memory", BANDWIDTHS, 100),
        "rate": ("Trillion operations a second", RATES, 1),
    }
    params += [slider("power", "Tokens in the cache", 8, 17, tokens), {"name": "tokens", "expr": "pow(2, power)"}]
    for name, (label, stops, start) in machine.items():
        params += [
            slider(f"{name}_choice", label, 0, len(stops) - 1, stops.index(start)),
            {"name": name, "expr": f"{stops}[{name}_choice]"},
        ]
    return params


def _results() -> dict[str, Any]:
    """A row for each sum, and above them a word where there is no such model."""
    value = " : ".join(f"datum.number === {n} ? {expr}" for n, expr in enumerate(RESULTS.values())) + " : 0"
    even = "n_heads % n_kv_heads ? n_heads + ' heads cannot share ' + n_kv_heads + ' evenly' : ''"
    rows = {"field": "sum", "type": "nominal", "title": None, "sort": None}
    return {
        "width": NUMBERS,
        "height": {"step": ROW - 6},
        "transform": [
            {"calculate": value, "as": "value"},
            {"calculate": "format(datum.value, datum.value < 100 ? ',.3~r' : ',.0f')", "as": "label"},
            {"calculate": even, "as": "warning"},
        ],
        "encoding": {"y": {**rows, "axis": {"ticks": False, "domain": False}}},
        "layer": [
            {
                "name": "numbers",
                "mark": {"type": "text", "fill": "currentColor", "align": "left", "fontWeight": "bold"},
                "encoding": {"x": {"value": 6}, "text": {"field": "label"}},
            },
            {
                "name": "warnings",
                "transform": [{"filter": "datum.number === 0"}],
                "mark": {"type": "text", "fill": "currentColor", "align": "left"},
                "encoding": {"x": {"value": -110}, "y": {"value": -12}, "text": {"field": "warning"}},
            },
        ],
    }


def _times() -> dict[str, Any]:
    """Milliseconds of a token: to fetch its numbers, and to compute with them."""
    return {
        "width": WIDTH - 60,
        "height": {"step": ROW},
        "transform": [
            {"filter": "datum.number < 2"},
            {"calculate": "datum.number ? 'compute' : 'fetch'", "as": "work"},
            {"calculate": "1000 * (datum.number ? computing : fetching)", "as": "milliseconds"},
        ],
        "mark": {"type": "bar", "fill": ACCENT, "height": ROW - 12},
        "name": "times",
        "encoding": {
            "x": {
                "field": "milliseconds",
                "type": "quantitative",
                "title": "milliseconds a token",
                "axis": {"tickCount": 4},
            },
            "y": {
                "field": "work",
                "type": "nominal",
                "title": None,
                "sort": None,
                "axis": {"ticks": False, "domain": False},
            },
        },
    }
