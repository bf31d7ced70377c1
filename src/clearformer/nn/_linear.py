"""The linear map x W + b: the initial weights of its matrix, and the product."""

import math

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor, nn


def normal(
    shape: tuple[int, ...], std: float, generator: torch.Generator | None, dtype: torch.dtype | None
) -> nn.Parameter:
    """Draw weights from a normal distribution around 0, on the device of the generator."""
    device = None if generator is None else generator.device
    return nn.Parameter(std * torch.randn(shape, generator=generator, dtype=dtype, device=device))


def matrix(n_in: int, widths: list[int], generator: torch.Generator | None, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw matrices (n_in, width) of variance 1 / n_in one by one, and return them side by side, (n_in, sum(widths)).

    In memory each column is contiguous, as in ``nn.Linear.weight`` and published files.
    """
    parts = [normal((n_in, width), 1 / math.sqrt(n_in), generator, dtype).detach() for width in widths]
    return nn.Parameter(torch.cat([part.T for part in parts]).T)


def linear(
    x: Float[Tensor, "*batch n_in"], w: Float[Tensor, "n_in n_out"], b: Float[Tensor, " n_out"] | None = None
) -> Float[Tensor, "*batch n_out"]:
    """Compute x W + b.

    Raises:
        ValueError: the rows of x have another width than W has rows.
    """
    if not x.ndim or x.shape[-1] != len(w):
        raise ValueError(f"x must be (..., {len(w)}), got shape {tuple(x.shape)}")
    return torch.nn.functional.linear(x, w.T, b)
