"""How large the cache of keys and values grows: named models side by side, computed in the page."""

from collections.abc import Mapping
from typing import Any

from .figure import ACCENT, Figure, figure, slider

ROW = 46  # pixels a model
WIDTH = 300
GIB = 2**30


def cache_size(
    models: Mapping[str, tuple[int, int, int, int]],
    *,
    tokens: int = 12,
    most: int = 17,
    description: str = "",
) -> Figure:
    """Interactive bytes of the key-value cache of each model, on a logarithmic axis.

    One slider sets the number of tokens, 2 to the power of its position, another the bytes of a number.
    A filled mark is the model as it is, a hollow one the same model with keys and values for every head.

    Args:
        models: name of each model and its (n_layers, n_heads, n_kv_heads, d_k).
        tokens: where the first slider stands at first: a power of two.
        most: its last position.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if a size is not positive, n_heads is not a multiple of n_kv_heads, or the start is not there.

    Example:
        >>> cache_size({"small": (2, 4, 1, 8)}, description="One model.")
        One model.
    """
    rows = []
    for name, (n_layers, n_heads, n_kv_heads, d_k) in models.items():
        if min(n_layers, n_heads, n_kv_heads, d_k) < 1 or n_heads % n_kv_heads:
            raise ValueError(f"{name}: {n_heads} heads on {n_kv_heads} key-value heads, {n_layers} layers, d_k={d_k}")
        rows.append({"model": name, "numbers": 2 * n_layers * n_kv_heads * d_k, "group": n_heads // n_kv_heads})
    body = {
        "data": {"name": "values", "values": rows},
        "params": [
            slider("power", "Tokens in the cache, as a power of two", 8, most, tokens),
            slider("bytes", "Bytes of one number", 1, 4, 2),
            {"name": "tokens", "expr": "pow(2, power)"},
        ],
        "transform": [
            {"calculate": f"datum.numbers * bytes * tokens / {GIB}", "as": "gib"},
            {"calculate": "datum.gib * datum.group", "as": "full"},
            {
                "calculate": "datum.gib < 1 ? format(datum.gib * 1024, '.3~r') + ' MiB'"
                " : format(datum.gib, '.3~r') + ' GiB'",
                "as": "label",
            },
        ],
        "height": {"step": ROW},
        "width": WIDTH,
        "encoding": {
            "y": {
                "field": "model",
                "type": "nominal",
                "title": None,
                "sort": None,
                "axis": {"ticks": False, "domain": False},
            }
        },
        "layer": _layers(),
    }
    table = {
        "mark": "built_marks",
        "value": ["gib", "full"],
        "corner": "model",
        "columns": ["GiB as built", "GiB with keys for every head"],
        "rows": list(models),
    }
    return figure(description, table, body, outputs={"power": "tokens"})


def _layers() -> list[dict[str, Any]]:
    x = {
        "field": "gib",
        "type": "quantitative",
        "title": "keys and values",
        "scale": {"type": "log", "domain": [2**-10, 2**12]},
        "axis": {
            "values": [2**-10, 1, 2**10],
            "labelExpr": "datum.value < 1 ? 1024 * datum.value + ' MiB' : datum.value + ' GiB'",
        },
    }
    hollow = {"filled": False, "stroke": "currentColor", "strokeWidth": 2, "size": 90}
    return [
        {
            "name": "spans",
            "mark": {"type": "rule", "stroke": "currentColor", "strokeDash": [3, 3]},
            "encoding": {"x": x, "x2": {"field": "full"}},
        },
        {"name": "full", "mark": {"type": "point", **hollow}, "encoding": {"x": {**x, "field": "full"}}},
        {
            "name": "built",
            "mark": {"type": "point", "filled": True, "fill": ACCENT, "opacity": 1, "size": 130},
            "encoding": {"x": x},
        },
        {
            "name": "labels",
            "mark": {"type": "text", "fill": "currentColor", "dy": -15},
            "encoding": {"x": x, "text": {"field": "label"}},
        },
    ]
