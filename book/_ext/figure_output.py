"""How MyST-NB renders figures, plots, drawings and live models in this book.

MyST-NB finds renderers by entry points. That of this module is in the folder ``figure_output.dist-info`` beside it,
so it holds while this folder is on the path, and never for another project of the same environment.
"""

import re
from pathlib import PurePosixPath
from typing import Any, ClassVar

from docutils import nodes

from linebyline.figures.figure import MIME_TYPE
from linebyline.figures.live import weights_script
from linebyline.figures.plot_html import plot_html
from linebyline.figures.rendering import LIVE, compile_figure, figure_html, live_html

PLOT, DRAWING = "image/svg+xml", 'class="drawing"'


class FigureOutput:
    """The renderer of figures, plots and live models; MyST-NB renders all other outputs."""

    mime_priority_overrides: ClassVar = [("html", kind, 0) for kind in (MIME_TYPE, *LIVE)]

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Node] | None:
        page, name = renderer.renderer, f"figure-{data.cell_index}-{data.output_index}"
        if data.mime_type == MIME_TYPE:
            compiled = compile_figure(data.content)
            return [_raw(figure_html(data.content, compiled, name))]
        if data.mime_type == PLOT and DRAWING in data.string:
            return [_raw(re.sub("<style>.*?</style>", "", data.string, flags=re.DOTALL))]  # the page has it
        if data.mime_type == PLOT:
            options = page.get_cell_level_config("render_image_options", data.cell_metadata, line=data.line)
            return [_raw(plot_html(data.string, options.get("alt", ""), name))]
        return [_live(page, data, name)] if data.mime_type in LIVE else None


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _live(page: Any, data: Any, name: str) -> nodes.raw:
    """The HTML of a live model; its weights are a file beside the page, which `course.write_files` writes."""
    place = PurePosixPath(page.sphinx_env.docname)
    file, weights = f"{place.name}-{name}.js", data.output_metadata[data.mime_type]
    root = "../" * (len(place.parts) - 1)
    node = _raw(live_html(data.mime_type, data.content, weights, name=name, root=root, file=file))
    node["files"] = {file: weights_script(weights["model"])[0]}
    return node
