"""Masks and position biases: the causal mask, and the refusal of what does not fit the scores."""

import torch
from torch import Tensor


def causal(T: int, S: int, device: torch.device) -> Tensor:
    """Let the last T of S positions see themselves and all before them, (T, S)."""
    return torch.ones(T, S, dtype=torch.bool, device=device).tril(S - T)


def require_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a mask that is not boolean or does not broadcast to the scores."""
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be boolean, True where a position may attend; got dtype {mask.dtype}, "
            f"mask {tuple(mask.shape)} for scores {shape}"
        )
    _require_broadcast("mask", mask, shape)


def require_bias(bias: Tensor, shape: tuple[int, ...]) -> None:
    """Refuse a position bias that does not hold floats or does not broadcast to the scores."""
    if not bias.is_floating_point():
        raise TypeError(
            f"position_bias must hold floats, which are added to the scores; got dtype {bias.dtype}, "
            f"position_bias {tuple(bias.shape)} for scores {shape}"
        )
    _require_broadcast("position_bias", bias, shape)


def _require_broadcast(name: str, x: Tensor, shape: tuple[int, ...]) -> None:
    try:
        x.expand(shape)
    except RuntimeError:
        raise ValueError(f"{name} {tuple(x.shape)} does not broadcast to scores {shape}") from None
