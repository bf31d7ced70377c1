"""Every component and every model beside the ones that people trust: outputs and gradients, in float32 and float64.

Nothing else in the package imports this. Peers from ``transformers`` are imported when they are measured.

Example:
    >>> softmax = COMPONENTS[0]
    >>> max(measure(softmax, "float64").largest.values()) < softmax.bound("float64")
    True
"""

from linebyline.parity.attention import ATTENTION
from linebyline.parity.comparison import PROMISED, SHOWN, Compared, Component, Differences, measure, table
from linebyline.parity.layers import LAYERS
from linebyline.parity.models import MODELS, Model, measure_model
from linebyline.parity.optimizers import OPTIMIZERS
from linebyline.parity.positions import POSITIONS

COMPONENTS = LAYERS + POSITIONS + ATTENTION + OPTIMIZERS
