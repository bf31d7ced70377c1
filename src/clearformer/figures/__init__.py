"""Interactive and static figures of the book.

A figure is a Vega-Lite specification.
JupyterLab and VS Code draw it themselves; the book's build turns it into a static drawing, controls and a data table.
"""

from .attention_map import attention_map
from .figure import Figure, plot_style
from .projection import projection

__all__ = ["Figure", "attention_map", "plot_style", "projection"]
