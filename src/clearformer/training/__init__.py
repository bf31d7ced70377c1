"""Training: a trainer for any model, built from a loss, a learning rate schedule, batches and an optimizer."""

from clearformer.training.batches import Batch, Batches, token_windows
from clearformer.training.loss import Loss, cross_entropy, next_token_loss
from clearformer.training.masking import IGNORE_INDEX, mask_tokens
from clearformer.training.optimizer import MakeOptimizer, adamw
from clearformer.training.precision import bfloat16_if_native
from clearformer.training.processes import Processes
from clearformer.training.schedule import Schedule, inverse_square_root, warmup_cosine
from clearformer.training.spans import corrupt_spans, random_span_mask, restore_spans
from clearformer.training.trainer import Trainer

__all__ = [
    "IGNORE_INDEX",
    "Batch",
    "Batches",
    "Loss",
    "MakeOptimizer",
    "Processes",
    "Schedule",
    "Trainer",
    "adamw",
    "bfloat16_if_native",
    "corrupt_spans",
    "cross_entropy",
    "inverse_square_root",
    "mask_tokens",
    "next_token_loss",
    "random_span_mask",
    "restore_spans",
    "token_windows",
    "warmup_cosine",
]
