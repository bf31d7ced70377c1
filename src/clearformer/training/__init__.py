"""Training from parts: a loss, a schedule, batches and an optimizer are handed to one trainer, whatever the model."""

from clearformer.training.batches import Batch, Batches, token_windows
from clearformer.training.lock import sole_writer
from clearformer.training.loss import Loss, cross_entropy, next_token_loss
from clearformer.training.masking import IGNORED, hide
from clearformer.training.optimizer import MakeOptimizer, adamw
from clearformer.training.precision import bfloat16_if_native
from clearformer.training.processes import Processes
from clearformer.training.schedule import Schedule, inverse_square_root, warmup_cosine
from clearformer.training.spans import hidden_spans, hide_spans, restore_spans
from clearformer.training.trainer import Trainer

__all__ = [
    "IGNORED",
    "Batch",
    "Batches",
    "Loss",
    "MakeOptimizer",
    "Processes",
    "Schedule",
    "Trainer",
    "adamw",
    "bfloat16_if_native",
    "cross_entropy",
    "hidden_spans",
    "hide",
    "hide_spans",
    "inverse_square_root",
    "next_token_loss",
    "restore_spans",
    "sole_writer",
    "token_windows",
    "warmup_cosine",
]
