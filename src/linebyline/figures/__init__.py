"""Interactive and static figures of the book.

A figure is a Vega-Lite specification.
JupyterLab and VS Code draw it themselves; the book's build turns it into a static drawing, controls and a data table.
Four are models instead: the live model, the live translator, the live fill-in and the live assistant, whose weights
are a file beside the page and which the reader's browser runs.
"""

from .attention_map import attention_map
from .attention_stages import attention_stages
from .beam_tree import beam_tree
from .block_steps import block_steps
from .cache_size import cache_size
from .decoding_explorer import decoding_explorer
from .encoding_matrix import encoding_matrix
from .figure import Figure
from .hidden_units import hidden_units
from .leak_map import leak_map
from .likely_words import logit_lens, prefixes
from .live import LiveModel, quantized
from .live_assistant import live_assistant
from .live_fill_in import live_fill_in
from .live_model import live_model
from .live_translator import live_translator
from .merge_steps import merge_steps
from .model_sizes import model_sizes
from .normalization_map import normalization_map
from .optimizer_path import optimizer_path
from .plots import (
    accuracy_by_length,
    loss_curves,
    means_with_bars,
    plot_style,
    training_run,
)
from .projection import projection
from .ratios import Ratio, ratios
from .rotation import rotation
from .verdicts import verdicts
