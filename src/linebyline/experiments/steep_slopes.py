"""Is a fixed cost for each step of distance as good as rotation, if it fits a short context?

With four heads, the smallest of ALiBi's slopes takes 1/4 away over 64 tokens. These runs are those with ALiBi in
:mod:`.relative`, but with slopes that are four times as steep; nothing about the distance is learned.
"""

from . import relative
from .our_model import SEEDS
from .studies import Study

prepared = relative.prepared

RECIPE = {**relative.RECIPE, "times": relative.TIMES["steep"]}
SETTINGS = [{"kind": "steep", "seed": seed} for seed in range(SEEDS)]
STUDY = Study("steep_slopes", RECIPE, SETTINGS, lambda each: (relative.STEPS, 25), relative.measure)
