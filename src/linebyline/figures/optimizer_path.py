"""The path that an optimizer takes over a loss of two parameters, with the loss and the update of each step."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from linebyline.surfaces import Surface, batch_noise

from .figure import ACCENT, Figure, figure, radio, slider
from .optimizer_steps import LARGEST_LOSS, OPTIMIZERS, parameters, steps

STEPS = 60
X, Y = (-4.75, 3.25), (-2.25, 2.75)
UNIT = 42  # pixels
WIDTH, HEIGHT = round(UNIT * (X[1] - X[0])), round(UNIT * (Y[1] - Y[0]))
LEVELS = tuple(0.05 * 3**n for n in range(8))
CORNERS = 81  # of each contour
COLUMNS = ("x", "y", "loss", "update")
PLOTTED = {"loss": (1e-3, 100.0), "update": (1e-3, 10.0)}


def optimizer_path(
    surfaces: Mapping[str, Surface],
    *,
    surface: str | None = None,
    optimizer: str = "gradient descent",
    lr: float = 0.05,
    beta_1: float = 0.9,
    beta_2: float = 0.999,
    warmup: int = 0,
    description: str = "",
) -> Figure:
    """Interactive path of an optimizer over contours of a loss, computed in the page.

    Sliders set the learning rate, both betas and the steps of a warm-up in a straight line; two choices set the
    surface and the optimizer. Below the map stand the loss and the size of the update, which is the larger change
    of the two coordinates, against the step. A noisy surface has the same mini-batches whatever is chosen.

    Args:
        surfaces: What can be chosen to walk on, by name.
        surface: The one that is chosen at first; None for the first of them.
        optimizer: The one that is chosen at first: ``"gradient descent"``, ``"momentum"``, ``"Adam"`` or
            ``"AdamW"``. The last has a weight decay of 0.1.
        lr: Where the slider of the learning rate stands at first.
        beta_1: The same for the share of the gradients' mean that is kept; momentum keeps that of their sum.
        beta_2: The same for the share of the squares' mean that is kept.
        warmup: The same for the steps of the warm-up.
        description: Alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no surface or optimizer of that name, one begins outside the map, or a slider would
            start beside itself.

    Example:
        >>> bowl = Surface((3.0, 1.0), along=1.0, across=10.0)
        >>> optimizer_path({"bowl": bowl}, description="A path down a bowl.")
        A path down a bowl.
    """
    names = list(surfaces)
    start = names[0] if surface is None and names else surface
    if start not in surfaces or optimizer not in OPTIMIZERS:
        known = f"surfaces {names} and optimizers {list(OPTIMIZERS)}"
        raise ValueError(f"surface={surface!r} and optimizer={optimizer!r} must be among the {known}")
    body = {
        "data": {"name": "surfaces", "values": [_row(i, *item) for i, item in enumerate(surfaces.items())]},
        "params": [
            slider("lr", "Learning rate", 0.01, 0.5, lr, 0.01),
            slider("beta_1", "Momentum β₁", 0, 0.99, beta_1, 0.01),
            slider("beta_2", "Adam's β₂", 0.9, 0.999, beta_2, 0.001),
            slider("warmup", "Warm-up steps", 0, 30, warmup),
            radio("surface", "Surface", names, names.index(str(start))),
            radio("optimizer", "Optimizer", OPTIMIZERS, OPTIMIZERS.index(optimizer)),
            *parameters(),
        ],
        "transform": [{"filter": "datum.surface === surface"}, *steps(batch_noise(STEPS)), *_cells()],
        "vconcat": [_map(), _plot("loss"), _plot("update"), _end()],
        "spacing": 12,
    }
    table = {
        "mark": "loss_line_marks",
        "value": [f"{column}_cell" for column in COLUMNS],
        "corner": "step",
        "columns": list(COLUMNS),
        "rows": [str(n) for n in range(STEPS + 1)],
    }
    return figure(description, table, body, beside=True)


def _row(place: int, name: str, surface: Surface) -> dict[str, Any]:
    """The numbers of a surface as the steps read them, and its contours."""
    (start_x, start_y), (centre_x, centre_y) = surface.start, surface.centre
    if not (X[0] <= start_x <= X[1] and Y[0] <= start_y <= Y[1]):
        raise ValueError(f"{name!r} begins at {surface.start}, outside the map of x in {X} and y in {Y}")
    return {
        "surface": place,
        "start_x": start_x,
        "start_y": start_y,
        "along": surface.along,
        "across": surface.across,
        "bend": surface.bend,
        "quartic": surface.quartic,
        "centre_x": centre_x,
        "centre_y": centre_y,
        "noise": surface.noise,
        "least": surface.least,
        "contours": _contours(surface),
    }


def _contours(surface: Surface) -> str:
    """The lines of equal loss as one path of SVG, in tenths of a pixel from the map's upper left corner."""
    from contourpy import contour_generator

    x, y = np.linspace(*X, 161), np.linspace(*Y, 201)
    lines = contour_generator(x, y, surface.loss(np.stack(np.meshgrid(x, y))))
    drawn = []
    for level in LEVELS:
        for line in lines.lines(level):
            corners = np.asarray(line)[np.linspace(0, len(line) - 1, CORNERS).round().astype(int)]  # (CORNERS, 2)
            tenths = ((corners - (X[0], Y[1])) * (10 * UNIT, -10 * UNIT)).round().astype(int)
            moves = [tenths[0], *np.diff(tenths, axis=0)]
            drawn.append("M" + "l".join(f"{a},{b}" for a, b in moves))
    return "".join(drawn)


def _map() -> dict[str, Any]:
    def at(field: str, domain: tuple[float, float]) -> dict[str, Any]:
        scale = {"domain": list(domain), "nice": False, "zero": False}
        return {"field": field, "type": "quantitative", "title": field, "scale": scale, "axis": {"tickCount": 6}}

    place = {"x": at("x", X), "y": at("y", Y)}
    return {
        "name": "map",
        "width": WIDTH,
        "height": HEIGHT,
        "view": {"stroke": "currentColor", "strokeOpacity": 0.3},
        "layer": [
            {
                "name": "contours",
                "transform": [{"filter": "datum.step === 0"}],
                # A shape is drawn as many times as large as half the root of its size says.
                "mark": {"type": "point", "size": 0.04, "stroke": "currentColor", "strokeWidth": 1, "opacity": 0.5},
                "encoding": {"x": {"value": 0}, "y": {"value": 0}, "shape": {"field": "contours", "scale": None}},
            },
            {
                "name": "path",
                "transform": [{"filter": "datum.shown"}],
                "mark": {"type": "line", "stroke": ACCENT, "strokeWidth": 2, "clip": True},
                "encoding": {**place, "order": {"field": "step"}},
            },
            {
                "name": "points",
                "transform": [{"filter": "datum.shown"}],
                "mark": {"type": "point", "filled": True, "fill": ACCENT, "opacity": 1, "clip": True},
                "encoding": {**place, "size": {"condition": {"test": "datum.step === 0", "value": 90}, "value": 18}},
            },
        ],
    }


def _cells() -> list[dict[str, Any]]:
    """What the table has for each point: nothing where the path is shown no further."""
    return [{"calculate": f"datum.shown ? datum.{name} : '—'", "as": f"{name}_cell"} for name in COLUMNS]


def _plot(field: str) -> dict[str, Any]:
    """A quantity against the step, on a logarithmic axis whose ends stand for all that lies beyond them."""
    low, high = PLOTTED[field]
    line = {"type": "line", "strokeWidth": 2, "clip": True}
    layers = [{"name": f"{field}_line", "mark": {**line, "stroke": ACCENT}, "encoding": {"y": {"field": "plotted"}}}]
    updates: list[dict[str, Any]] = []
    if field == "update":
        dashed = {**line, "stroke": "currentColor", "strokeDash": [4, 3]}
        layers.append({"name": "rate_line", "mark": dashed, "encoding": {"y": {"field": "rate"}}})
        updates = [{"filter": "datum.step > 0"}]
    return {
        "name": field,
        "width": WIDTH,
        "height": 84,
        "transform": [
            *updates,
            {"calculate": f"datum.shown ? clamp(datum.{field}, {low}, {high}) : {high}", "as": "plotted"},
        ],
        "encoding": {
            "x": {
                "field": "step",
                "type": "quantitative",
                "title": "step",
                "scale": {"domain": [0, STEPS]},
                "axis": {"tickCount": 6},
            },
            "y": {
                "type": "quantitative",
                "title": field,
                "scale": {"type": "log", "domain": [low, high]},
                "axis": {"values": [low, 0.1, 10.0], "format": "~g"},
            },
        },
        "layer": layers,
    }


def _end() -> dict[str, Any]:
    """In words: where the path ended, or when it left."""
    words = (
        f"datum.gone < {STEPS + 1} ? 'It diverges: its loss passes {LARGEST_LOSS:,.0f} at step ' + datum.gone"
        f" : 'After {STEPS} steps the loss is ' + format(datum.loss, '.3~g')"
    )
    return {
        "name": "end",
        "width": WIDTH,
        "height": 20,
        "transform": [
            {"calculate": f"datum.shown ? {STEPS + 1} : datum.step", "as": "left"},
            {"joinaggregate": [{"op": "min", "field": "left", "as": "gone"}]},
            {"filter": f"datum.step === {STEPS}"},
            {"calculate": words, "as": "label"},
        ],
        "mark": {"type": "text", "fill": "currentColor", "fontSize": 13, "fontWeight": "bold"},
        "encoding": {"text": {"field": "label"}},
    }
