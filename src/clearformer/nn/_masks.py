"""Masks of attention: the causal one, and the refusal of those that do not fit."""

import torch
from torch import Tensor


def causal(T: int, S: int, device: torch.device) -> Tensor:
    """Let the last T of S positions see themselves and all before them, (T, S)."""
    return torch.ones(T, S, dtype=torch.bool, device=device).tril(S - T)


def require(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a mask that is not boolean or does not broadcast to the scores."""
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be boolean, True where a position may attend; got dtype {mask.dtype}, "
            f"mask {tuple(mask.shape)} for scores {shape}"
        )
    try:
        mask.expand(shape)
    except RuntimeError:
        raise ValueError(f"mask {tuple(mask.shape)} does not broadcast to scores {shape}") from None
