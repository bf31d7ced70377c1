"""Training: a trainer for any model, built from a loss, a learning rate schedule, batches and an optimizer."""

from clearformer.training.lora import LoRA, add_lora, merge_lora
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
from clearformer.training.preferences import answer_log_probs, dpo_loss
from clearformer.training.processes import Processes
from clearformer.training.rewards import group_advantages, grpo_loss, pass_at_k
from clearformer.training.trainer import Trainer

__all__ = [
    "IGNORE_INDEX",
    "Batch",
    "Batches",
    "LoRA",
    "Loss",
    "MakeOptimizer",
    "Processes",
    "Schedule",
    "Trainer",
    "adamw",
    "add_lora",
    "answer_log_probs",
    "bfloat16_if_native",
    "corrupt_spans",
    "cross_entropy",
    "dpo_loss",
    "group_advantages",
    "grpo_loss",
    "inverse_square_root",
    "mask_tokens",
    "merge_lora",
    "next_token_loss",
    "pass_at_k",
    "random_span_mask",
    "restore_spans",
    "token_windows",
    "warmup_cosine",
]
