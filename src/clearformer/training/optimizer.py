"""Optimizers, made from the named parameters of a model as those of ``torch.optim`` are."""

from collections.abc import Callable, Iterable

import torch
from torch import nn

MakeOptimizer = Callable[[Iterable[tuple[str, nn.Parameter]]], torch.optim.Optimizer]


def adamw(
    named_parameters: Iterable[tuple[str, nn.Parameter]],
    *,
    weight_decay: float = 0.1,
    betas: tuple[float, float] = (0.9, 0.99),
) -> torch.optim.Optimizer:
    """Give each parameter a step size of its own, and pull matrices towards zero.

    Args:
        named_parameters: What is trained, with its names.
        weight_decay: The pull; vectors (biases, gains) are left alone.
        betas: How much of the mean gradient, and of its mean square, is kept from step to step.

    Source: Loshchilov and Hutter (2019).

    Example:
        >>> optimizer = adamw(nn.Linear(2, 3).named_parameters(), weight_decay=0.5)
        >>> [(group["weight_decay"], [tuple(p.shape) for p in group["params"]]) for group in optimizer.param_groups]
        [(0.5, [(3, 2)]), (0.0, [(3,)])]
    """
    parameters = [parameter for _, parameter in named_parameters]
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, betas=betas, fused=True)
