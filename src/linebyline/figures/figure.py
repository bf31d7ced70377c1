"""Interactive figures as data: a Vega-Lite specification in YAML with short forms, and the object that displays it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

# JupyterLab and VS Code draw this type with the Vega-Lite they ship; newer names are not known to them.
MIME_TYPE = "application/vnd.vegalite.v5+json"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
# On a canvas, the default of JupyterLab, currentColor is black on any background.
AS_SVG = {"embed_options": {"renderer": "svg"}}

# Blue with varying opacity is legible on light and on dark pages; orange is as dark, and easy to tell from it.
COLORS = {"accent": "#2563a8", "second": "#c2410c"}
COLORS["themed"] = f"var(--weight, {COLORS['accent']})"  # lighter on a dark page, for lines and points without a label
# currentColor is the color of the surrounding text, so a change of theme needs no redrawing.
# The figure as a whole is described, and its data table carries the numbers; single marks have no labels.
THEME: dict[str, Any] = yaml.safe_load("""
background: transparent
font: system-ui, sans-serif
view: {stroke: null}
axis: {labelColor: currentColor, titleColor: currentColor, domainColor: currentColor, tickColor: currentColor,
       labelFontSize: 13, titleFontSize: 13, titleFontWeight: normal, grid: false}
text: {fontSize: 13}
mark: {aria: false}
""")
TYPES = {"Q": "quantitative", "O": "ordinal", "N": "nominal"}
NAME = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class Figure:
    """A Vega-Lite specification that displays itself in notebooks and in the book."""

    spec: Mapping[str, Any]

    def _repr_mimebundle_(self, **unused: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return {MIME_TYPE: dict(self.spec), "text/plain": repr(self)}, {MIME_TYPE: AS_SVG}

    def __repr__(self) -> str:
        return str(self.spec["description"])


def draw(spec: str, description: str, **values: Any) -> Figure:
    """Complete a specification in YAML: schema, theme, alternative text and data table.

    The short forms are:

    - ``$name`` is one of the values, ``$accent``, ``$themed`` or ``$second``; inside an expression a list is written
      as JSON. ``$last_name`` is the index of the last item of the value ``name``.
    - A list in a list contributes its items.
    - ``field: size:Q`` is a field with its type: Q quantitative, O ordinal, N nominal.
    - ``calculate: {name: expression, ...}`` is one transform for each name.
    - ``{slider: name, label: ..., from: ..., to: ..., at: ..., step: 1}`` is a parameter with a slider that begins
      at ``at``. The page writes the value of the signal ``shows`` beside it, and the names ``stops`` below it.
    - ``{radio: name, label: ..., options: [...], at: ...}`` is a parameter with radio buttons.
    - ``if: $name`` leaves an item out of a list unless the value is true.

    The key ``table`` describes the data table: ``mark`` (the named view whose marks carry the numbers), ``value``
    (their field, or several), ``columns``, ``rows`` and ``corner`` (headings) and ``sort`` (the field that puts the
    marks in order). A table that does not follow the controls has ``cells``, row by row, instead of ``mark`` and
    ``value``. With ``beside: true`` the controls are beside the figure where there is room. ``outputs`` maps further
    signals with a slider to those whose values the page shows.

    The names in the specification stand for the ``values``; the description is the figure's alternative text.

    Raises:
        ValueError: The description is empty.
    """
    if not description.strip():
        raise ValueError("a figure needs a description: it is its alternative text")
    last = {f"last_{name}": len(value) - 1 for name, value in values.items() if isinstance(value, list)}
    body = _filled(yaml.safe_load(spec), {**COLORS, **last, **values})
    controls = [param for param in body.get("params", ()) if "slider" in param]
    meta = {
        "outputs": body.pop("outputs", {}) | {each["slider"]: each["shows"] for each in controls if "shows" in each},
        "stops": {each["slider"]: each["stops"] for each in controls if "stops" in each},
        "beside": body.pop("beside", False),
    }
    if "params" in body:
        body["params"] = [_parameter(param) for param in body["params"]]
    usermeta = {"table": body.pop("table")} | {key: value for key, value in meta.items() if value}
    return Figure({"$schema": SCHEMA, "description": description, "config": THEME, "usermeta": usermeta, **body})


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    """Replace the names in a part of a specification, and the short forms of fields, calculations and conditions."""
    if isinstance(part, str):
        whole = NAME.fullmatch(part)
        return values[whole[1]] if whole else NAME.sub(lambda name: _text(values[name[1]]), part)
    if isinstance(part, list):
        return [item for each in part for item in _items(each, values)]
    if isinstance(part, dict):
        filled = {key: _filled(value, values) for key, value in part.items()}
        if ":" in str(filled.get("field", "")):
            filled["field"], kind = filled["field"].split(":")
            filled["type"] = TYPES[kind]
        return filled
    return part


def _items(item: Any, values: Mapping[str, Any]) -> Iterator[Any]:
    """The items that an item of a list is short for."""
    filled = _filled(item, values)
    if isinstance(filled, list):
        yield from filled
    elif not isinstance(filled, dict):
        yield filled
    elif filled.pop("if", True):
        if isinstance(filled.get("calculate"), dict):
            yield from ({"calculate": expression, "as": name} for name, expression in filled["calculate"].items())
        else:
            yield filled


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)


def _parameter(param: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter with the control that its short form asks for."""
    if "slider" in param:
        bind = {"input": "range", "min": param["from"], "max": param["to"], "step": param.get("step", 1)}
    elif "radio" in param:
        bind = {"input": "radio", "options": list(range(len(param["options"]))), "labels": list(param["options"])}
    else:
        return dict(param)
    name = param.get("slider") or param["radio"]
    return {"name": name, "value": param["at"], "bind": bind | {"name": f"{param['label']} "}}
