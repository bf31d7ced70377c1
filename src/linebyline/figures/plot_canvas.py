"""Matplotlib plots as SVG whose words are text, in fonts that every machine has."""

import io
import sys
from typing import Any

import matplotlib as mpl
from matplotlib.backend_bases import register_backend
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.cbook import open_file_cm

# A plot is laid out in the first, which comes with matplotlib; the second is as wide.
FONTS = ["DejaVu Sans", "Verdana"]
STACK = f"{', '.join(map(repr, FONTS))}, sans-serif"
# The same plot is the same bytes on another day and with another version.
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))


class FigureCanvas(FigureCanvasSVG):
    """The canvas of matplotlib, with fonts for formulas that every machine has."""

    def print_svg(self, filename: Any, *, bbox_inches_restore: Any = None, **unused: Any) -> None:
        """Write the drawing to an open file, or to a file of this name."""
        drawn = io.StringIO()
        super().print_svg(drawn, bbox_inches_restore=bbox_inches_restore, metadata=NO_METADATA)  # type: ignore[no-untyped-call]
        text = drawn.getvalue().replace(f"font-family: '{FONTS[0]}'\"", f'font-family: {STACK}"')
        with open_file_cm(filename, "wb") as file:
            file.write(text.encode())


def draw_vectors() -> None:
    """Use this canvas wherever plots become SVG, and let notebooks show them as SVG."""
    register_backend("svg", FigureCanvas, "Scalable Vector Graphics")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "clearformer", "font.sans-serif": FONTS})
    ipython = sys.modules.get("IPython")
    notebook = ipython and ipython.get_ipython()
    if notebook:
        from matplotlib_inline.config import InlineBackend

        InlineBackend.instance(parent=notebook).figure_formats = {"svg"}
