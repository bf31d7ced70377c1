"""Drawings of the course: what a part looks like, with the numbers of a small example, as SVG with real text.

Each function returns a drawing that displays itself in a notebook and in the book.
"""

from .adam_steps import adam_steps
from .added_rows import added_rows
from .aligned import aligned
from .all_reduce import all_reduce
from .all_words import all_words, three_products
from .answer_group import answer_group, reward_loop
from .attention_gradients import head_forward, lever, query_step, values_backward
from .beams import beams
from .bias_grids import bias_grids
from .block_numbers import block_numbers
from .bottleneck import bottleneck
from .cache_steps import cache_steps
from .capped import capped
from .causal_mask import causal_mask
from .character_bytes import character_bytes
from .chat import continuations, counted_tokens
from .choosing import cut_lines, cuts, dart, orders, penalties, stretched, temperatures
from .circuit_vectors import circuit_vectors
from .clock_hands import clock_hands, come_round, one_hand, same_sine
from .coin import coin
from .contributions import contributions
from .counting import counting, discount, left_neighbors, pair_neighbors, two_lists
from .cross_attention import cross_attention
from .decoder_block import decoder_block
from .dilution import dilution
from .doctor import doctor_row, same_picture
from .em_step import em_step
from .encoder_decoder import encoder_decoder
from .equal_budgets import equal_budgets
from .equal_scores import equal_scores
from .evaluation import same_items, smallest_hashes, two_scores
from .first_name import first_name
from .five_changes import five_changes
from .four_bits import four_bits
from .four_terms import four_terms
from .full_square import full_square
from .gradient_descent import gradient_descent
from .head_sum import head_sum
from .heads_on_line import heads_on_line
from .hidden_from import hidden_from, two_ways
from .hidden_spans import hidden_spans
from .hidden_tokens import hidden_tokens, read_outs
from .induction import induction
from .kit import Drawing
from .lattice import lattice, paths_through, word_cuts
from .layer import hidden_backward, two_characters
from .layer_work import layer_work
from .leak_test import leak_test
from .learned_weights import learned_weights
from .lens_grid import lens_grid
from .lens_steps import lens_steps
from .longer_text import longer_text
from .look_ahead import look_ahead
from .looked_at import SideBySide, favorites, rows_needed
from .looking_back import looking_back
from .low_rank import adapter, low_rank, tuning_memory
from .machine import machine
from .margin import margin, three_answers
from .mask_grids import mask_grids
from .memory_bars import memory_bars
from .merges import merges
from .narrow_keys import line_and_plane, narrow_keys
from .needed import needed
from .next_character import bigrams, logit_gradient, softmax_steps, surprise
from .ngrams import ngrams
from .norm_axes import norm_axes
from .norm_gradients import halves, norm_backward, squared_gradients
from .norm_paths import four_paths, unnoticed
from .norm_places import norm_places
from .one_token import one_token
from .one_word import one_word
from .online_softmax import online_softmax
from .opened_model import opened_model
from .our_model import our_model
from .outvoted import outvoted
from .packed import packed_rows, packed_texts
from .padded_batch import forgotten_mask, padding_sides, padding_test, sorted_batches
from .pair_grid import pair_grid
from .pipeline import pipeline
from .prefill import prefill
from .prompt_examples import prompt_examples
from .pruning import pruning
from .pulled import pulled
from .ramp import ramp
from .recall_task import recall_task
from .residual_stream import residual_stream
from .rotated_pair import rotated_pair
from .rounding import rounding
from .same_text import same_text
from .score_network import score_network
from .shared_heads import shared_heads
from .sharpness import sharpness
from .shifted import shifted
from .shorter_contexts import cache_of_tokens, longer_contexts
from .slopes import slopes
from .small_table import lm_head, one_hot, similarity
from .soft_lookup import soft_lookup
from .span_sums import span_sums
from .special_tokens import special_tokens
from .split_heads import split_heads
from .square_matrix import square_matrix
from .step_times import step_times
from .swapped_axes import joined_unswapped, swapped_axes
from .table_gradients import common_push, table_gradients, tied_model
from .tensor_file import tensor_file
from .tested import chi_square_steps, noisy_logits, races, stopped_line
from .text_tree import text_tree
from .things import several_models, thing_row
from .three_back import three_back
from .tiles import tiles
from .token_ids import language_costs, token_ids
from .training_loop import decisions, training_loop
from .turned_hands import one_back, step_back
from .twins import two_copies
from .two_blocks import two_blocks
from .two_directions import two_directions
from .two_hands import two_hands
from .two_layers import two_layers
from .two_memories import two_memories
from .two_processes import two_processes
from .two_questions import two_questions
from .two_stages import two_stages
from .units import layer_backward, only_both, tent, widened
from .uses import named_tasks
from .waiting import waiting
from .weighted_sum import weighted_sum
from .weights_once import weights_once
from .who_asks_whom import who_asks_whom
from .who_is_asked import who_is_asked
from .who_sees import who_sees
from .whole_translator import whole_translator
from .whole_word import whole_word
from .window_grid import window_grid
from .word_chain import ways_to_read, word_chain
from .word_order import added_positions
