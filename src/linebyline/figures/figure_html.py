"""HTML of a Vega-Lite figure for the book: static drawing, controls, data table, and the data of its script."""

import html
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RENDERER = Path("book", "_ext", "render_figure.mjs")


def compile_figure(spec: Mapping[str, Any], source: Path) -> dict[str, Any]:
    """Compile and draw a specification with Node.

    Returns:
        `spec` (compiled, without input bindings), `controls` (those bindings), `table`, `cells` and `svg`.

    Raises:
        RuntimeError: with the compiler's words, if the specification draws a warning or an error.
    """
    done = subprocess.run(
        ["node", str(source / RENDERER)], input=json.dumps(spec), capture_output=True, text=True, cwd=source
    )
    if done.returncode:
        raise RuntimeError(f"the figure «{spec['description']}» does not compile:\n{done.stderr}")
    compiled: dict[str, Any] = json.loads(done.stdout)
    return compiled


def figure_html(spec: Mapping[str, Any], compiled: Mapping[str, Any], name: str) -> str:
    """HTML of one figure, complete without JavaScript except that its controls are disabled."""
    meta = spec.get("usermeta", {})
    description = html.escape(spec["description"])
    width, height = _svg_size(compiled["svg"])
    controls = "".join(_control(control, meta, f"{name}-{i}") for i, control in enumerate(compiled["controls"]))
    data = json.dumps({"spec": compiled["spec"], "table": compiled["table"]}, ensure_ascii=False)
    return (
        f'<div class="live-figure" id="{name}"{" data-beside" if meta.get("beside") else ""}>\n'
        f'<div class="live-view" role="img" aria-label="{description}"'
        f' style="max-width:{width}px;aspect-ratio:{width}/{height}">{compiled["svg"]}</div>\n'
        f'<fieldset class="live-controls" disabled><legend>Controls of the figure</legend>{controls}</fieldset>\n'
        f"{_table(compiled['table'], compiled['cells'])}\n"
        f'<script type="application/json">{data.replace("<", chr(92) + "u003c")}</script>\n</div>\n'
    )


def _svg_size(svg: str) -> tuple[int, int]:
    viewbox = svg.split('viewBox="', 1)[1].split('"', 1)[0].split()
    return round(float(viewbox[2])), round(float(viewbox[3]))


def _control(control: Mapping[str, Any], meta: Mapping[str, Any], name: str) -> str:
    kinds = {"range": _range, "radio": _radio}
    if control["input"] not in kinds:
        raise RuntimeError(f"no page control for input {control['input']!r}; known: {sorted(kinds)}")
    return kinds[control["input"]](control, meta, name)


def _range(control: Mapping[str, Any], meta: Mapping[str, Any], name: str) -> str:
    signal, shown = control["signal"], html.escape(control["shown"])
    stops = "".join(f"<span>{html.escape(stop)}</span>" for stop in meta.get("stops", {}).get(signal, ()))
    return (
        f'<div class="live-control"><label for="{name}">{html.escape(control["name"].strip())}</label>'
        f'<output for="{name}" data-output="{control["output"]}">{shown}</output>'
        f'<input type="range" id="{name}" data-signal="{signal}" min="{control["min"]}" max="{control["max"]}"'
        f' step="{control["step"]}" value="{control["value"]}" aria-valuetext="{shown}" autocomplete="off">'
        f'{f"""<div class="live-stops" aria-hidden="true">{stops}</div>""" if stops else ""}</div>'
    )


def _radio(control: Mapping[str, Any], meta: Mapping[str, Any], name: str) -> str:
    labels = control.get("labels", control["options"])
    buttons = "".join(
        f'<label><input type="radio" name="{name}" data-signal="{control["signal"]}" value="{value}"'
        f' autocomplete="off"{" checked" if value == control["value"] else ""}>{html.escape(str(label))}</label>'
        for value, label in zip(control["options"], labels, strict=True)
    )
    return f'<fieldset class="live-control"><legend>{html.escape(control["name"].strip())}</legend>{buttons}</fieldset>'


def _number(cell: float | str) -> str:
    """A cell of the table: numbers with three decimals, words as they are."""
    return html.escape(cell) if isinstance(cell, str) else f"{cell:.3f}"


def _table(table: Mapping[str, Any], cells: Sequence[float | str]) -> str:
    if not table:
        return ""
    numbers = iter(cells)
    head = "".join(f'<th scope="col">{html.escape(str(column))}</th>' for column in table["columns"])
    body = "".join(
        f'<tr><th scope="row">{html.escape(str(row))}</th>'
        + "".join(f"<td>{_number(next(numbers))}</td>" for _ in table["columns"])
        + "</tr>"
        for row in table["rows"]
    )
    return (
        '<details class="live-table"><summary>Numbers of this figure</summary>'
        '<div class="live-scroll" tabindex="0" role="region" aria-label="Numbers of this figure">'
        f'<table><thead><tr><th scope="col">{html.escape(table["corner"])}</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></details>"
    )
