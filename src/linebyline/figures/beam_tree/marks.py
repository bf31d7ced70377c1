"""The marks of the beam tree: two lines of text, the lines to each word, its sign, the word and its number."""

from typing import Any

from ..figure import ACCENT

SIGNS = {"open": "●", "finished": "■", "dropped": "×", "not looked at": "○"}


def _position(*channels: str) -> dict[str, Any]:
    return {channel: _pixels(channel) for channel in channels}


def _pixels(field: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def headline(number: int) -> dict[str, Any]:
    """One of the two lines above the tree."""
    said = {"expr": f"heads[run][step][{number}]"}
    return {
        "data": {"name": f"head_{number}", "values": [{}]},
        "mark": {"type": "text", "align": "left", "baseline": "top", "text": said, "color": "currentColor"},
        "encoding": {"x": {"value": 0}, "y": {"value": 2 + 19 * number}},
    }


def edges(along: str, end: str) -> dict[str, Any]:
    """The lines that lead to a word: down from its parent's line (``"y"``), then to the right (``"x"``)."""
    other = {"y": "x2", "x": "y"}[along]  # the vertical part stands where the horizontal one starts
    fixed = {"y": "x", "x": "y"}[along]
    return {
        "name": f"edges_{along}",
        "transform": [{"filter": "datum.depth > 0"}],
        "mark": {"type": "rule", "color": "currentColor"},
        "encoding": {
            **_position(along),
            end: {"field": end},
            fixed: _pixels(other),
            "size": {"condition": {"test": "datum.alive", "value": 2.5}, "value": 1},
            "opacity": {"condition": {"test": "datum.alive", "value": 1}, "value": 0.35},
        },
    }


def signs() -> dict[str, Any]:
    """What became of each beam."""
    return {
        "name": "signs",
        "mark": {"type": "text", "fontSize": 15, "baseline": "middle"},
        "encoding": {
            **_position("x", "y"),
            "text": {"field": "sign", "type": "nominal"},
            "color": {"condition": {"test": "datum.alive", "value": ACCENT}, "value": "currentColor"},
        },
    }


def words() -> list[dict[str, Any]]:
    """The word above the line, and its number below once it was looked at."""
    word = {
        "name": "words",
        "transform": [{"filter": "datum.depth > 0"}],
        "mark": {"type": "text", "align": "left", "dx": 7, "dy": -9, "color": "currentColor"},
        "encoding": {
            **_position("x", "y"),
            "text": {"field": "word", "type": "nominal"},
            "opacity": {"condition": {"test": "datum.alive", "value": 1}, "value": 0.7},
        },
    }
    number = {
        "name": "numbers",
        "transform": [{"filter": "datum.depth > 0 && datum.state !== 'not looked at'"}],
        "mark": {"type": "text", "align": "left", "dx": 7, "dy": 10, "fontSize": 11, "color": "currentColor"},
        "encoding": {**_position("x", "y"), "text": {"field": "shown", "type": "nominal"}},
    }
    return [word, number]


def legend() -> dict[str, Any]:
    """What the signs mean, below the tree."""
    said = "   ".join(f"{sign} {state}" for state, sign in SIGNS.items())
    return {
        "data": {"name": "legend", "values": [{}]},
        "mark": {"type": "text", "align": "left", "baseline": "bottom", "text": said, "fontSize": 12},
        "encoding": {"x": {"value": 0}, "y": {"value": {"expr": "height - 2"}}, "color": {"value": "currentColor"}},
    }
