"""One step of an optimizer: a parameter and what the optimizer remembers, before and after."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from clearformer import functional as F
from linebyline.parity.core import Component

SHAPE = (3, 5)
LR, BETA_1, BETA_2, EPS, DECAY, STEP = 0.01, 0.9, 0.97, 1e-8, 0.3, 5
RATES = {"lr": LR, "beta_1": BETA_1, "beta_2": BETA_2, "eps": EPS}
THEIRS = {"lr": LR, "betas": (BETA_1, BETA_2), "eps": EPS}
# The running mean of squares is the square of ``spread``, which may have any sign.
MOMENTS = {"parameter": SHAPE, "gradient": SHAPE, "m": SHAPE, "spread": SHAPE}


def _after(kind: Any, parameter: Tensor, gradient: Tensor, memory: Mapping[str, Tensor], **options: Any) -> Any:
    """Make the peer's step with a memory that was handed over, and give the parameter and that memory."""
    peer = torch.nn.Parameter(parameter.detach().clone())
    peer.grad = gradient.detach()
    optimizer = kind([peer], **options)
    optimizer.state[peer] = {name: tensor.detach().clone() for name, tensor in memory.items()}
    optimizer.step()
    state = optimizer.state[peer]
    return peer, *(state[name].requires_grad_() for name in memory if name != "step")


def _moments(m: Tensor, spread: Tensor) -> dict[str, Tensor]:
    return {"step": torch.tensor(STEP - 1.0), "exp_avg": m, "exp_avg_sq": spread.square()}


OPTIMIZING = (
    Component(
        "momentum, a step",
        "PyTorch SGD",
        {"parameter": SHAPE, "gradient": SHAPE, "velocity": SHAPE},
        lambda parameter, gradient, velocity: F.momentum_step(parameter, gradient, velocity, lr=LR, beta=BETA_1),
        lambda parameter, gradient, velocity: _after(
            torch.optim.SGD, parameter, gradient, {"momentum_buffer": velocity}, lr=LR, momentum=BETA_1
        ),
    ),
    Component(
        "Adam, a step",
        "PyTorch Adam",
        MOMENTS,
        lambda parameter, gradient, m, spread: F.adam_step(parameter, gradient, m, spread * spread, STEP, **RATES),
        lambda parameter, gradient, m, spread: _after(
            torch.optim.Adam, parameter, gradient, _moments(m, spread), **THEIRS
        ),
    ),
    Component(
        "AdamW, a step",
        "PyTorch AdamW",
        MOMENTS,
        lambda parameter, gradient, m, spread: F.adamw_step(
            parameter, gradient, m, spread * spread, STEP, weight_decay=DECAY, **RATES
        ),
        lambda parameter, gradient, m, spread: _after(
            torch.optim.AdamW, parameter, gradient, _moments(m, spread), weight_decay=DECAY, **THEIRS
        ),
    ),
)
