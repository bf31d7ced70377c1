"""Inspect a trained model: its predictions, its states between blocks, its embeddings, and its heads."""

from .embeddings import neighbors, used_directions
from .induction import induction_scores, loss_by_copy, two_copies, without_head
from .predictions import logit_lens, settling_depth, surprise, top_tokens, truncated
from .shuffled import shuffled
from .subject import Subject, load, max_positions
