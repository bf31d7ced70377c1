"""Our model as it grows through the first course: its stages, their training, and what the record says of them.

The parts that stay are in ``linebyline.our_model``, which needs PyTorch alone.
"""

from .given import Given, start
from .record import Measured, kept, runs_table, small_run, stages_table, written
from .stages import CONTROLS, D_MODEL, N_HEADS, N_LAYERS, STAGES, WINDOW, MeanOfPast, Positions, Stage, build
from .training import Text, bits_in_use, bits_per_byte, sample, text, train
