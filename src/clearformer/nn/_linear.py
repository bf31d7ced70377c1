"""The product with a matrix, and where its weights start."""

import math

import torch
import torch.nn.functional
from torch import Tensor, nn

from clearformer.nn import _checks


def product(x: Tensor, w: Tensor, b: Tensor | None, name: str = "x") -> Tensor:
    """Give x W + b for rows x, (..., n_in), a matrix (n_in, n_out) and a bias (n_out,).

    Raises:
        ValueError: the rows have another width.
    """
    try:
        return torch.nn.functional.linear(x, w.T, b)
    except RuntimeError:
        _checks.require_width(name, x, len(w))
        raise


def matrix(n_in: int, n_out: int, generator: torch.Generator | None, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw weights of shape (n_in, n_out) with variance 1 / n_in: a product with them keeps the spread of its input."""
    return normal((n_in, n_out), 1 / math.sqrt(n_in), generator, dtype)


def normal(
    shape: tuple[int, ...], std: float, generator: torch.Generator | None, dtype: torch.dtype | None
) -> nn.Parameter:
    """Draw weights from a normal distribution around 0; without a generator they are empty, to be filled."""
    if generator is None:
        return nn.Parameter(torch.empty(shape, dtype=dtype))
    return nn.Parameter(std * torch.randn(shape, generator=generator, dtype=dtype, device=generator.device))


def zeros(n: int, generator: torch.Generator | None, dtype: torch.dtype | None) -> nn.Parameter:
    """Give a bias of zeros, on the device of the generator."""
    return nn.Parameter(torch.zeros(n, dtype=dtype, device=None if generator is None else generator.device))
