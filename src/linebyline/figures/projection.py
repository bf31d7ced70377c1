"""Word vectors in a plane while training moves them: a map with sliders, and the nearest words as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .figure import ACCENT, Figure, figure, slider, token_label

SIDE = 320  # pixels of the map
BAR_HEIGHT = 22
DIGITS = 4


def projection(
    vectors: np.ndarray,
    tokens: Sequence[str],
    stages: Sequence[str],
    *,
    neighbours: int = 5,
    token: int = 0,
    stage: int = 0,
    description: str = "",
) -> Figure:
    """Interactive map of vectors at several stages of training, with the most similar tokens of a chosen one.

    Vectors are drawn at unit length, since similarity is the cosine of the full vectors. The plane is the one of
    the two first principal components of the last stage. All stages are drawn in it, so that what moves is the
    vectors and not the view.

    Args:
        vectors: (n_stages, n_tokens, d_model); no vector may be zero.
        tokens: n_tokens names.
        stages: n_stages names, in order; at least two.
        neighbours: how many of the most similar tokens are shown.
        token: index of the token that is chosen at first.
        stage: index of the stage that is shown at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: if shapes and names disagree, if a number is not finite, or if a start does not exist.

    Example:
        >>> vectors = np.ones((2, 3, 4)) + np.eye(3, 4)
        >>> projection(vectors, "abc", ["before", "after"], neighbours=2, description="A map.")
        A map.
    """
    vectors = np.asarray(vectors, dtype=float)
    _check(vectors, tokens, stages, neighbours, token, stage)
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    places = np.round(_places(unit), DIGITS)  # (n_stages, n_tokens, 2)
    points = [
        {"stage": s, "token": t, "x": float(places[s, t, 0]), "y": float(places[s, t, 1])}
        for s, t in np.ndindex(*places.shape[:2])
    ]
    edge = 1.2 * float(np.abs(places).max())
    body = {
        "params": [
            slider("stage", "Stage of training", 0, len(stages) - 1, stage),
            # Pages show the names that belong to the two sliders.
            {"name": "stage_name", "expr": token_label("stage", stages)},
            {"name": "chosen_name", "expr": token_label("chosen_token", tokens)},
        ],
        "vconcat": [_map_view(points, _links(unit, places, neighbours), tokens, token, edge), _bar_view(tokens)],
        "spacing": 12,
    }
    table = {
        "mark": "points_marks",
        "value": ["x", "y"],
        "corner": "token",
        "columns": ["component 1", "component 2"],
        "rows": list(tokens),
    }
    return figure(description, table, body, outputs={"stage": "stage_name", "chosen_token": "chosen_name"})


def _check(
    vectors: np.ndarray, tokens: Sequence[str], stages: Sequence[str], neighbours: int, token: int, stage: int
) -> None:
    if vectors.ndim != 3 or vectors.shape[:2] != (len(stages), len(tokens)):
        raise ValueError(f"{len(stages)} stages of {len(tokens)} tokens are named, but the vectors are {vectors.shape}")
    if len(stages) < 2:
        raise ValueError(f"a slider needs at least two stages, got {list(stages)}")
    if not np.isfinite(vectors).all():
        raise ValueError("cannot draw vectors that are not finite")
    if not np.linalg.norm(vectors, axis=-1).all():
        raise ValueError("a zero vector has no direction, so no similarity to others")
    if not 1 <= neighbours < len(tokens):
        raise ValueError(f"neighbours={neighbours} must be at least 1 and less than the {len(tokens)} tokens")
    if not (0 <= token < len(tokens) and 0 <= stage < len(stages)):
        raise ValueError(f"token={token} of {len(tokens)} and stage={stage} of {len(stages)} must exist")


def _places(unit: np.ndarray) -> np.ndarray:
    """Coordinates in the plane in which the last stage spreads most."""
    mean = unit[-1].mean(axis=0)  # (d_model,)
    _, _, axes = np.linalg.svd(unit[-1] - mean, full_matrices=False)
    # The sign of a principal component is free; this one does not depend on the machine.
    sign = np.sign(axes[:2][np.arange(2), np.abs(axes[:2]).argmax(axis=-1)])  # (2,)
    places: np.ndarray = (unit - mean) @ (sign[:, None] * axes[:2]).T  # (n_stages, n_tokens, 2)
    return places


def _links(unit: np.ndarray, places: np.ndarray, neighbours: int) -> list[dict[str, Any]]:
    """From each token to its most similar ones at each stage, nearest first."""
    cosine = np.round(unit @ unit.swapaxes(-1, -2), DIGITS)  # (n_stages, n_tokens, n_tokens)
    links = []
    for s, t in np.ndindex(*cosine.shape[:2]):
        others = [int(other) for other in np.argsort(-cosine[s, t], kind="stable") if other != t][:neighbours]
        for rank, other in enumerate(others):
            (x, y), (x2, y2) = places[s, t].tolist(), places[s, other].tolist()
            link = {"stage": s, "token": t, "other": other, "rank": rank, "cosine": float(cosine[s, t, other])}
            links.append({**link, "x": x, "y": y, "x2": x2, "y2": y2})
    return links


def _map_view(
    points: list[dict[str, Any]], links: list[dict[str, Any]], tokens: Sequence[str], token: int, edge: float
) -> dict[str, Any]:
    chosen = {
        "name": "chosen",
        "select": {
            "type": "point",
            "fields": ["token"],
            "on": {"source": "view", "type": "pointerover", "markname": "points_marks"},
            "clear": False,
            "toggle": False,
        },
        "value": [{"token": token}],
        "bind": {"token": slider("token", "Token", 0, len(tokens) - 1, token)["bind"]},
    }
    now, here = {"filter": "datum.stage === stage"}, {"filter": {"param": "chosen", "empty": False}}
    link_data = {"name": "links", "values": links}
    return {
        "name": "map",
        "width": SIDE,
        "height": SIDE,
        "data": {"name": "points", "values": points},
        "encoding": {"x": _axis("x", "component 1", edge), "y": _axis("y", "component 2", edge)},
        "layer": [
            {
                "name": "lines",
                "data": link_data,
                "transform": [now, here],
                "mark": {"type": "rule", "stroke": ACCENT, "strokeWidth": 1.5},
                "encoding": {"x2": {"field": "x2"}, "y2": {"field": "y2"}},
            },
            {
                "name": "points",
                "transform": [now],
                "params": [chosen],
                "mark": {"type": "circle", "fill": ACCENT, "stroke": "currentColor", "opacity": 1},
                "encoding": {
                    "size": {"condition": {"param": "chosen", "empty": False, "value": 220}, "value": 90},
                    "strokeWidth": {"condition": {"param": "chosen", "empty": False, "value": 2.5}, "value": 0.4},
                },
            },
            _label("label", "token", ("x", "y"), "datum.y2 > datum.y ? 18 : -18", tokens, edge),
            _label("nearest", "other", ("x2", "y2"), "datum.y2 > datum.y ? -14 : 14", tokens, edge),
        ],
    }


def _label(
    name: str, index: str, place: tuple[str, str], dy: str, tokens: Sequence[str], edge: float
) -> dict[str, Any]:
    """Name one end of the line from the chosen token to its nearest, on the side away from the other end."""
    return {
        "name": name,
        "data": {"name": "links"},
        "transform": [
            {"filter": "datum.stage === stage && datum.rank === 0"},
            {"filter": {"param": "chosen", "empty": False}},
            {"calculate": token_label(f"datum.{index}", tokens), "as": "text"},
        ],
        "mark": {
            "type": "text",
            "fontSize": 14,
            "fill": "currentColor",
            "fontWeight": "bold" if index == "token" else "normal",
            "dy": {"expr": dy},
        },
        "encoding": {
            "x": _axis(place[0], "component 1", edge),
            "y": _axis(place[1], "component 2", edge),
            "text": {"field": "text"},
        },
    }


def _bar_view(tokens: Sequence[str]) -> dict[str, Any]:
    name = token_label("datum.other", tokens)
    return {
        "name": "bars",
        "width": SIDE,
        "height": {"step": BAR_HEIGHT},
        "data": {"name": "links"},
        "transform": [
            {"filter": "datum.stage === stage"},
            {"filter": {"param": "chosen", "empty": False}},
            {"calculate": name, "as": "name"},
        ],
        "mark": {"type": "bar", "fill": ACCENT},
        "encoding": {
            "y": {
                "field": "name",
                "type": "nominal",
                "title": None,
                "sort": {"field": "rank"},
                "axis": {"ticks": False, "domain": False, "minExtent": 90, "maxExtent": 90},
            },
            "x": {
                "field": "cosine",
                "type": "quantitative",
                "title": "cosine with the chosen token",
                "scale": {"domain": [-0.2, 1]},
                "axis": {"values": [0, 0.5, 1], "format": ".1f"},
            },
        },
    }


def _axis(field: str, title: str, edge: float) -> dict[str, Any]:
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [-edge, edge], "nice": False},
        "axis": {"tickCount": 5},
    }
