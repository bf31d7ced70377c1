"""Interactive and static figures of the book.

A figure is a Vega-Lite specification.
JupyterLab and VS Code draw it themselves; the book's build turns it into a static drawing, controls and a data table.
"""

from .attention_map import attention_map
from .encoding_matrix import encoding_matrix
from .figure import Figure, plot_style
from .merge_steps import merge_steps
from .projection import projection
from .rotation import rotation

__all__ = ["Figure", "attention_map", "encoding_matrix", "merge_steps", "plot_style", "projection", "rotation"]
