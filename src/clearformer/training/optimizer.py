"""Optimizers, made from the named parameters of a model."""

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
    """Return AdamW with weight decay for matrices, and none for vectors (biases and gains).

    Args:
        named_parameters: The parameters to train, with their names.
        weight_decay: How strongly matrices are pulled toward zero.
        betas: Decay rates of the running means of the gradient and of its square.

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
