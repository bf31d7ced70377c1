"""The rotary encoding as clock hands: each pair of features of a query and a key on its own circle."""

from typing import Any

import numpy as np

from .encoding_matrix import SECOND
from .figure import ACCENT, Figure, figure, json_numbers, slider

CIRCLE = 150  # pixels from one circle's centre to the next
RADIUS = 52
COLUMNS = 2
LINES = ("query", "key", "difference")


def rotation(
    q: np.ndarray,
    k: np.ndarray,
    *,
    base: float = 10000.0,
    positions: int = 64,
    offsets: int = 16,
    position: int = 0,
    offset: int = 3,
    description: str = "",
) -> Figure:
    """Interactive view of what the rotary encoding does to one query and one key, computed in the page.

    One slider moves the key's position p, another the offset of the query, which stands at p + offset.

    Args:
        q: the query before rotation, (d_k,), pairs interleaved: features 2i and 2i + 1.
        k: the key before rotation, (d_k,).
        base: ratio of the fastest to the slowest angle, nearly.
        positions: the key's position goes from 0 to this.
        offsets: the offset goes from 0 to this.
        position: where the first slider stands at first.
        offset: where the second slider stands at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if q and k are not two vectors of the same even width, or if a pair has no direction.

    Example:
        >>> rotation(np.array([1.0, 0.0]), np.array([0.0, 1.0]), description="Two hands of a clock.")
        Two hands of a clock.
    """
    if q.shape != k.shape or q.ndim != 1 or not q.size or q.size % 2:
        raise ValueError(f"q and k must be two vectors of the same even width, got {q.shape} and {k.shape}")
    pairs = np.stack([q, k]).reshape(2, -1, 2)  # (2, pairs, 2)
    lengths = np.linalg.norm(pairs, axis=-1)  # (2, pairs)
    if not (lengths > 0).all():
        raise ValueError(f"a pair of zeros has no direction to rotate: lengths {lengths.tolist()}")
    starts = np.arctan2(pairs[..., 1], pairs[..., 0])  # (2, pairs)
    rows = [
        {"pair": i, "line": line, "start_q": start_q, "start_k": start_k, "size": size}
        for i, (start_q, start_k, size) in enumerate(
            zip(json_numbers(starts[0]), json_numbers(starts[1]), json_numbers(lengths.prod(axis=0)), strict=True)
        )
        for line in LINES
    ]
    body = {
        "data": {"name": "values", "values": rows},
        "params": [
            slider("position", "Position p of the key", 0, positions, position),
            slider("offset", "Offset n: the query stands at p + n", 0, offsets, offset),
        ],
        "transform": _angles(q.size, base),
        "vconcat": [_clocks(len(lengths[0])), _score()],
        "spacing": 4,
    }
    table = {
        "mark": "angles_marks",
        "value": "angle",
        "corner": "pair",
        "columns": ["angle of the query", "angle of the key", "difference"],
        "rows": [str(i) for i in range(len(lengths[0]))],
    }
    return figure(description, table, body)


def _angles(d_k: int, base: float) -> list[dict[str, Any]]:
    return [
        {"calculate": f"pow({base}, -2 * datum.pair / {d_k})", "as": "frequency"},
        {"calculate": "datum.start_q + (position + offset) * datum.frequency", "as": "angle_q"},
        {"calculate": "datum.start_k + position * datum.frequency", "as": "angle_k"},
        {
            "calculate": "datum.line === 'query' ? datum.angle_q : datum.line === 'key' ? datum.angle_k"
            " : datum.angle_q - datum.angle_k",
            "as": "angle",
        },
        {"calculate": "cos(datum.angle)", "as": "x"},
        {"calculate": "sin(datum.angle)", "as": "y"},
        {"calculate": "datum.line === 'query' ? datum.size * cos(datum.angle_q - datum.angle_k) : 0", "as": "term"},
        {"calculate": f"{CIRCLE} * (datum.pair % {COLUMNS} + 0.5)", "as": "centre_x"},
        {"calculate": f"{CIRCLE + 60} * floor(datum.pair / {COLUMNS}) + {CIRCLE / 2}", "as": "centre_y"},
        {"calculate": f"datum.centre_x + {RADIUS} * datum.x", "as": "tip_x"},
        {"calculate": f"datum.centre_y - {RADIUS} * datum.y", "as": "tip_y"},
    ]


def _at(x: str, y: str) -> dict[str, Any]:
    """Encode two fields that are pixels already."""
    return {
        channel: {"field": field, "type": "quantitative", "scale": None, "axis": None}
        for channel, field in (("x", x), ("y", y))
    }


def _hands() -> dict[str, Any]:
    return {
        **_at("centre_x", "centre_y"),
        "x2": {"field": "tip_x"},
        "y2": {"field": "tip_y"},
        "stroke": {"condition": {"test": "datum.line === 'key'", "value": SECOND}, "value": ACCENT},
        "strokeDash": {"condition": {"test": "datum.line === 'key'", "value": [5, 3]}, "value": [1, 0]},
    }


def _clocks(n_pairs: int) -> dict[str, Any]:
    rows = -(-n_pairs // COLUMNS)
    label = (
        "datum.line === 'query' ? 'pair ' + datum.pair + ': query at ' + format(datum.angle, '.2f')"
        " : datum.line + (datum.line === 'key' ? ' at ' : ' ') + format(datum.angle, '.2f')"
    )
    return {
        "name": "clocks",
        "width": CIRCLE * min(COLUMNS, n_pairs),
        "height": (CIRCLE + 60) * rows,
        "layer": [
            {
                "name": "circles",
                "transform": [{"filter": "datum.line === 'query'"}],
                "mark": {"type": "point", "size": (2 * RADIUS) ** 2, "stroke": "currentColor", "strokeWidth": 0.6},
                "encoding": _at("centre_x", "centre_y"),
            },
            {
                "name": "hands",
                "transform": [{"filter": "datum.line !== 'difference'"}],
                "mark": {"type": "rule", "strokeWidth": 3, "strokeCap": "round"},
                "encoding": _hands(),
            },
            {
                "name": "angles",
                "transform": [
                    {"calculate": label, "as": "label"},
                    {
                        "calculate": f"datum.centre_y + {RADIUS} + 20 + 17 * indexof({list(LINES)}, datum.line)",
                        "as": "text_y",
                    },
                ],
                "mark": {"type": "text", "fill": "currentColor"},
                "encoding": {**_at("centre_x", "text_y"), "text": {"field": "label"}},
            },
        ],
    }


def _score() -> dict[str, Any]:
    return {
        "name": "score",
        "width": CIRCLE * COLUMNS,
        "height": 24,
        "transform": [
            {"aggregate": [{"op": "sum", "field": "term", "as": "score"}]},
            {"calculate": "'query · key = ' + format(datum.score, '.3f')", "as": "label"},
        ],
        "mark": {"type": "text", "fill": "currentColor", "fontSize": 15, "fontWeight": "bold"},
        "encoding": {"text": {"field": "label"}},
    }
