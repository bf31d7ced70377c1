"""Every component, and every model, beside the ones that people trust: outputs and gradients, in float32 and float64.

Nothing else in the package imports this. Peers from ``transformers`` are imported when they are measured.

Example:
    >>> softmax = COMPONENTS[0]
    >>> max(measure(softmax, "float64").all().values()) < softmax.bound("float64")
    True
"""

from linebyline.parity.attending import ATTENDING
from linebyline.parity.core import PROMISED, SHOWN, Compared, Component, Differences, measure, table
from linebyline.parity.numbers import NUMBERS
from linebyline.parity.optimizing import OPTIMIZING
from linebyline.parity.positions import POSITION
from linebyline.parity.whole import WHOLE, Whole, measure_whole

__all__ = [
    "COMPONENTS",
    "PROMISED",
    "SHOWN",
    "WHOLE",
    "Compared",
    "Component",
    "Differences",
    "Whole",
    "measure",
    "measure_whole",
    "table",
]

COMPONENTS = NUMBERS + POSITION + ATTENDING + OPTIMIZING
