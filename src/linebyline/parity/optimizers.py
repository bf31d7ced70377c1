"""One step of each optimizer: a parameter and the state of the optimizer, before and after."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from clearformer import functional as F
from linebyline.parity.comparison import Component

SHAPE = (3, 5)
LR, BETA_1, BETA_2, EPS, STEP = 0.01, 0.9, 0.97, 1e-8, 5
RATES = {"lr": LR, "beta_1": BETA_1, "beta_2": BETA_2, "eps": EPS}


def _after(kind: Any, parameter: Tensor, gradient: Tensor, state_before: Mapping[str, Tensor], **options: Any) -> Any:
    """Make the peer's step from this state, and return the parameter and the state behind it."""
    peer = torch.nn.Parameter(parameter.detach().clone())
    peer.grad = gradient.detach()
    optimizer = kind([peer], **options)
    optimizer.state[peer] = {name: tensor.detach().clone() for name, tensor in state_before.items()}
    optimizer.step()
    state = optimizer.state[peer]
    return peer, *(state[name].requires_grad_() for name in state_before if name != "step")


def _momentum(parameter: Tensor, gradient: Tensor, velocity: Tensor) -> Any:
    return _after(torch.optim.SGD, parameter, gradient, {"momentum_buffer": velocity}, lr=LR, momentum=BETA_1)


def _adam(name: str, step: Any, kind: Any, **decay: float) -> Component:
    """The running mean of squares is the square of ``spread``, which may have any sign."""

    def ours(parameter: Any, gradient: Any, m: Any, spread: Any) -> Any:
        return step(parameter, gradient, m, spread * spread, STEP, **RATES, **decay)

    def theirs(parameter: Tensor, gradient: Tensor, m: Tensor, spread: Tensor) -> Any:
        state = {"step": torch.tensor(STEP - 1.0), "exp_avg": m, "exp_avg_sq": spread.square()}
        return _after(kind, parameter, gradient, state, lr=LR, betas=(BETA_1, BETA_2), eps=EPS, **decay)

    shapes = dict.fromkeys(("parameter", "gradient", "m", "spread"), SHAPE)
    return Component(f"{name}, a step", f"PyTorch {name}", shapes, ours, theirs)


MOMENTUM = dict.fromkeys(("parameter", "gradient", "velocity"), SHAPE)
OPTIMIZERS = (
    Component("momentum, a step", "PyTorch SGD", MOMENTUM, partial(F.momentum_step, lr=LR, beta=BETA_1), _momentum),
    _adam("Adam", F.adam_step, torch.optim.Adam),
    _adam("AdamW", F.adamw_step, torch.optim.AdamW, weight_decay=0.3),
)
