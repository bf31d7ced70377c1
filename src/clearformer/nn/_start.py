"""How matrices start."""

import math

import torch
from torch import nn


def matrix(n_in: int, n_out: int, generator: torch.Generator, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw weights of shape (n_in, n_out) with variance 1 / n_in: a product with them keeps the spread of its input."""
    drawn = torch.randn(n_in, n_out, generator=generator, dtype=dtype, device=generator.device)
    return nn.Parameter(drawn / math.sqrt(n_in))


def zeros(n: int, generator: torch.Generator, dtype: torch.dtype | None) -> nn.Parameter:
    """Give a bias of zeros, on the device of the generator."""
    return nn.Parameter(torch.zeros(n, dtype=dtype, device=generator.device))
