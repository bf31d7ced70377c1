"""Looks into a model, no matter who trained it: guesses, states between blocks, embeddings, and heads."""

from .embeddings import neighbours, used_directions
from .guessing import cut, likeliest, logit_lens, settled, surprise
from .induction import induction_scores, loss_by_copy, repeated, silenced
from .shuffled import shuffled
from .subject import Subject, positions, read
