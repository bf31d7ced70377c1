"""Looks into a model, no matter who trained it: guesses, states between blocks, embeddings, and heads."""

from linebyline.inspection.embeddings import neighbours, used_directions
from linebyline.inspection.guessing import cut, likeliest, logit_lens, settled, surprise
from linebyline.inspection.induction import induction_scores, loss_by_copy, repeated, silenced
from linebyline.inspection.shuffled import shuffled
from linebyline.inspection.subject import Subject, positions, read

__all__ = [
    "Subject",
    "cut",
    "induction_scores",
    "likeliest",
    "logit_lens",
    "loss_by_copy",
    "neighbours",
    "positions",
    "read",
    "repeated",
    "settled",
    "shuffled",
    "silenced",
    "surprise",
    "used_directions",
]
