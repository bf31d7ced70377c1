"""What each head adds to its scores for the distance of query and key, drawn over the distance."""

import numpy as np

from .figure import ACCENT, Figure, figure, radio

WIDTH, HEIGHT = 320, 220


def distance_bias(biases: np.ndarray, reach: int, *, head: int = 0, description: str = "") -> Figure:
    """Interactive curves of the bias over the distance, a head each; a radio button brings one to the front.

    Args:
        biases: (n_heads, 2 * reach + 1): of keys that stand ``reach`` places behind the query to as many ahead.
        reach: The greatest distance.
        head: The head that is in front at first.
        description: Alternative text; a sentence that says what to see.

    Raises:
        ValueError: the shape is another, there is one head alone, or the head in front is none.

    Example:
        >>> distance_bias(np.zeros((2, 3)), 1, description="Two flat lines.")
        Two flat lines.
    """
    if biases.ndim != 2 or biases.shape[1] != 2 * reach + 1 or len(biases) < 2 or not np.isfinite(biases).all():
        raise ValueError(f"biases must be finite, (2 or more heads, {2 * reach + 1}), got {biases.shape}")
    if not 0 <= head < len(biases):
        raise ValueError(f"head={head} must be one of {len(biases)}")
    names = [str(number) for number in range(len(biases))]
    rows = [
        {"head": h, "ahead": s - reach, "bias": round(float(biases[h, s]), 2)} for h, s in np.ndindex(*biases.shape)
    ]
    x = {"field": "ahead", "type": "quantitative", "title": "place of the key less that of the query"}
    y = {"field": "bias", "type": "quantitative", "title": "added to the score"}
    body = {
        "data": {"name": "biases", "values": rows},
        "params": [radio("head", "Head", names, head)],
        "width": WIDTH,
        "height": HEIGHT,
        "encoding": {"x": {**x, "scale": {"domain": [-reach, reach], "nice": False}}, "y": y},
        "layer": [
            {
                "name": "others",
                "mark": {"type": "line", "stroke": "currentColor", "opacity": 0.3, "interpolate": "step"},
                "encoding": {"detail": {"field": "head"}},
            },
            {
                "name": "front",
                "transform": [{"filter": "datum.head === head"}],
                "mark": {"type": "line", "stroke": ACCENT, "strokeWidth": 3, "interpolate": "step"},
            },
        ],
    }
    table = {
        "mark": "front_marks",
        "value": "bias",
        "sort": "ahead",
        "corner": "key less query",
        "columns": ["bias of the head"],
        "rows": [str(ahead) for ahead in range(-reach, reach + 1)],
    }
    return figure(description, table, body)
