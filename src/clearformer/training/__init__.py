"""Training: a trainer for any model, built from a loss, a learning rate schedule, batches and an optimizer."""

from clearformer.training.loss import Batch, Batches, Loss, cross_entropy, next_token_loss, token_windows
from clearformer.training.masking import IGNORE_INDEX, corrupt_spans, mask_tokens, random_span_mask, restore_spans
from clearformer.training.optimizer import (
    MakeOptimizer,
    Schedule,
    adamw,
    bfloat16_if_native,
    inverse_square_root,
    warmup_cosine,
)
from clearformer.training.processes import Processes
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
