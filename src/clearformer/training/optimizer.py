"""Optimizers, learning rate schedules and mixed precision."""

import math
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn

MakeOptimizer = Callable[[Iterable[tuple[str, nn.Parameter]]], torch.optim.Optimizer]
Schedule = Callable[[int], float]  # the learning rate of each step, counted from 0
BFLOAT16_CPUS = ("avx512_bf16", "amx_bf16", "bf16")  # Intel and AMD, Intel, ARM


def adamw(
    named_parameters: Iterable[tuple[str, nn.Parameter]],
    *,
    weight_decay: float = 0.1,
    betas: tuple[float, float] = (0.9, 0.99),
) -> torch.optim.Optimizer:
    """Return AdamW with weight decay for matrices, and none for vectors (biases and gains).

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


def warmup_cosine(peak: float, warmup: int, steps: int, *, floor: float = 0.1) -> Schedule:
    r"""Return a schedule with linear warm-up followed by cosine decay.

    .. math::

        \eta(i) = \eta_\text{peak}\cdot\begin{cases} (i + 1) / w & i < w \\
        f + \tfrac{1 - f}{2}\big(1 + \cos\pi\tfrac{i - w}{n - w}\big) & i \ge w \end{cases}

    After all ``steps`` :math:`n` the rate stays at the floor, :math:`f` times the peak. A peak that is not positive and
    finite, or a warm-up longer than all steps, is a ValueError.

    Source: Loshchilov and Hutter (2017), eq. 5, for the cosine.

    Example:
        >>> rate = warmup_cosine(1.0, 2, 10)
        >>> [round(rate(i), 2) for i in (0, 1, 2, 6, 10)]
        [0.5, 1.0, 1.0, 0.55, 0.1]
    """
    if not 0 < peak < math.inf or not 0 <= warmup <= steps or steps < 1:
        raise ValueError(f"peak={peak} must be positive and finite, and warmup={warmup} between 0 and steps={steps}")

    def rate(step: int) -> float:
        if step < warmup:
            return peak * (step + 1) / warmup
        done = (step - warmup) / (steps - warmup) if step < steps else 1.0
        return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * done)))

    return rate


def inverse_square_root(d_model: int, warmup: int) -> Schedule:
    r"""Return a schedule with linear warm-up followed by decay with the inverse square root of the step.

    .. math::

        \eta(i) = \frac{1}{\sqrt{d_\text{model}}}\cdot\min\Big(\frac{1}{\sqrt{i + 1}},\ \frac{i + 1}{w^{3/2}}\Big)

    The rate is highest at step :math:`w - 1`, where both terms are equal. The total number of steps need not be known.
    A ``d_model`` or ``warmup`` below 1 is a ValueError.

    Source: Vaswani et al. (2017), eq. 3, which counts steps from 1.

    Example:
        >>> rate = inverse_square_root(d_model=4, warmup=4)
        >>> [rate(i) for i in (0, 1, 3, 15)]
        [0.0625, 0.125, 0.25, 0.125]
    """
    if d_model < 1 or warmup < 1:
        raise ValueError(f"d_model={d_model} and warmup={warmup} must be at least 1")
    return lambda step: d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


def bfloat16_if_native(device: str | torch.device = "cpu") -> AbstractContextManager[object]:
    """Return an autocast context for bfloat16 if the hardware supports it, and an empty context otherwise.

    PyTorch accepts bfloat16 on any processor, but without instructions for it each product is converted back and
    forth, which is slower than float32.

    Source: Micikevicius et al. (2018) for mixed precision; Kalamkar et al. (2019) for bfloat16.

    Example:
        >>> with bfloat16_if_native():
        ...     product = torch.ones(2, 3) @ torch.ones(3, 5)
        >>> product.dtype in (torch.bfloat16, torch.float32)
        True
    """
    kind = torch.device(device).type
    if kind == "cuda":
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        native = kind == "cpu" and any(torch.cpu.get_capabilities().get(name) for name in BFLOAT16_CPUS)
    return torch.autocast(kind, torch.bfloat16) if native else nullcontext()
