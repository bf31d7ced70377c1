"""Drawings of the course: what a part looks like, with the numbers of a small example, as SVG with real text.

Each function returns a drawing that displays itself in a notebook and in the book.
"""

from .all_words import all_words, weighted_average
from .cache_steps import cache_steps
from .causal_mask import causal_mask
from .character_bytes import character_bytes
from .clock_hands import clock_hands
from .encoder_decoder import encoder_decoder
from .gradient_descent import gradient_descent
from .induction import induction
from .kit import Drawing
from .layer import chain_rule, two_characters
from .leak_test import leak_test
from .look_ahead import look_ahead
from .machine import machine
from .mask_grids import mask_grids
from .merges import merges
from .next_character import bigrams, logit_gradient, softmax_steps, surprise
from .norm_axes import norm_axes
from .norm_places import norm_places
from .one_word import one_word
from .pipeline import pipeline
from .recall_task import recall_task
from .residual_stream import residual_stream
from .sharpness import sharpness
from .shifted import shifted
from .small_table import one_hot, similarity
from .split_heads import split_heads
from .word_order import added_positions, same_output
