"""What every interactive figure shares: its notebook representation, its theme, and the style of static plots."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# JupyterLab and VS Code draw this type with the Vega-Lite they ship; newer names are not known to them.
MIME_TYPE = "application/vnd.vegalite.v5+json"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
# On a canvas, what JupyterLab takes unless told, currentColor is black on any paper.
AS_SVG = {"embed_options": {"renderer": "svg"}}

# One accent with varying opacity is legible on light and on dark paper.
ACCENT = "#2563a8"

FONT = "system-ui, sans-serif"
# currentColor is the colour of the surrounding text, so a change of theme needs no redrawing.
THEME: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "domainColor": "currentColor",
        "tickColor": "currentColor",
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "grid": False,
    },
    "text": {"fontSize": 13},
    # The figure as a whole is described, and its data table carries the numbers; no mark speaks for itself.
    "mark": {"aria": False},
}


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite specification that displays itself in notebooks and in the book.

    Example:
        >>> Figure({"description": "Two bars."})
        Two bars.
    """

    spec: Mapping[str, Any]

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return {MIME_TYPE: dict(self.spec), "text/plain": repr(self)}, {MIME_TYPE: AS_SVG}

    def __repr__(self) -> str:
        return str(self.spec["description"])


def figure(description: str, table: Mapping[str, Any], body: Mapping[str, Any], **meta: Any) -> Figure:
    """Complete a specification: schema, theme, description for screen readers, and the data table.

    Args:
        description: what the figure shows, in words; it is the figure's alternative text.
        table: `mark` (the named view whose marks carry the numbers), `value` (their field, or several fields),
            `columns` and `rows` (headings; the marks fill the cells row by row). The field that `sort` names puts
            the marks in order. A table that does not follow the controls has `cells` (words, row by row) in place
            of `mark` and `value`.
        body: the rest of the specification.
        meta: what the page adds to a slider: `stops` (signal to names below it), `outputs` (signal to the
            signal whose value it shows). With `beside`, controls stand beside the drawing where there is room.

    Raises:
        ValueError: if the description is empty.

    Example:
        >>> figure("Two bars.", {}, {"mark": "bar"}).spec["mark"]
        'bar'
    """
    if not description.strip():
        raise ValueError("a figure needs a description: it is its alternative text")
    return Figure(
        {
            "$schema": SCHEMA,
            "description": description,
            "config": THEME,
            "usermeta": {"table": dict(table), **meta},
            **body,
        }
    )


def json_numbers(values: np.ndarray) -> list[float | None]:
    """Flatten an array to JSON numbers; -inf, which JSON does not know, becomes None.

    Raises:
        ValueError: if a number is NaN or +inf.

    Example:
        >>> json_numbers(np.array([[1.5, -np.inf]]))
        [1.5, None]
    """
    numbers = [float(x) for x in np.ravel(values)]
    for x in numbers:
        if math.isnan(x) or x == math.inf:
            raise ValueError(f"cannot draw {x}: values must be finite, or -inf where masked")
    return [None if x == -math.inf else x for x in numbers]


def token_label(field: str, tokens: Sequence[str]) -> str:
    r"""Vega expression that names the token at the index in `field`; a token may occur twice.

    Example:
        >>> token_label("datum.value", ["a", 'b"'])
        '["a", "b\\""][datum.value]'
    """
    return f"{json.dumps(list(tokens), ensure_ascii=False)}[{field}]"


def plot_style() -> None:
    """Set the book's matplotlib style: legible size, vectors, and white paper so that dark pages can show it too.

    Example:
        >>> plot_style()
    """
    import matplotlib as mpl

    from .plot_canvas import draw_vectors

    draw_vectors()
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.constrained_layout.use": True,
            "figure.facecolor": "white",
            "savefig.facecolor": "white",
            "font.size": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "lines.linewidth": 2,
        }
    )


def slider(name: str, label: str, low: float, high: float, start: float, step: float = 1) -> dict[str, Any]:
    """Give the parameter of a figure that a slider sets.

    Raises:
        ValueError: the start does not lie on the slider.
    """
    if not low <= start <= high:
        raise ValueError(f"{name}={start} must lie between {low} and {high}")
    bind = {"input": "range", "min": low, "max": high, "step": step, "name": f"{label} "}
    return {"name": name, "value": start, "bind": bind}


def radio(name: str, label: str, options: Sequence[str], start: int = 0) -> dict[str, Any]:
    """Give the parameter of a figure that is the number of one of some options.

    Raises:
        ValueError: there is no option of the number that is chosen at first.
    """
    if not 0 <= start < len(options):
        raise ValueError(f"{name}={start} must be the number of one of {len(options)} options")
    bind = {"input": "radio", "name": f"{label} ", "options": list(range(len(options))), "labels": list(options)}
    return {"name": name, "value": start, "bind": bind}
