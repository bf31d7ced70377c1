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
        if x.ndim == 2 and b is not None:
            return torch.addmm(b, x, w)  # what the other way comes down to, on shorter ground
        return torch.nn.functional.linear(x, w.T, b)
    except RuntimeError:
        _checks.require_width(name, x, len(w))
        raise


def matrix(n_in: int, n_out: int, generator: torch.Generator, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw weights of shape (n_in, n_out) with variance 1 / n_in: a product with them keeps the spread of its input."""
    drawn = torch.randn(n_in, n_out, generator=generator, dtype=dtype, device=generator.device)
    return nn.Parameter(drawn / math.sqrt(n_in))


def zeros(n: int, generator: torch.Generator, dtype: torch.dtype | None) -> nn.Parameter:
    """Give a bias of zeros, on the device of the generator."""
    return nn.Parameter(torch.zeros(n, dtype=dtype, device=generator.device))
