"""Looks into a model, whoever trained it: guesses, states between blocks, embeddings, and heads."""

from clearformer.course.inspection.embeddings import neighbours, used_directions
from clearformer.course.inspection.guessing import cut, likeliest, logit_lens, settled, surprise
from clearformer.course.inspection.induction import induction_scores, loss_by_copy, repeated, silenced
from clearformer.course.inspection.shuffled import shuffled
from clearformer.course.inspection.subject import Subject, positions, read

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
