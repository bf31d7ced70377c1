"""Inspect a trained model: its predictions, its states between blocks, and its heads."""

from .induction import induction_scores, loss_by_copy, two_copies, without_head
from .predictions import logit_lens, surprise, top_tokens, truncated
from .shuffled import shuffled
from .subject import Subject, load, max_positions
