"""The product with a matrix, and where its weights start."""

import math
from functools import cache

import torch
import torch.nn.functional
from torch import Tensor, nn

from clearformer.nn import _checks

# Larger matrices do not stay in a core's cache: a product with a single row takes as long as they take to arrive.
LARGE = 1 << 18


def product(x: Tensor, w: Tensor, b: Tensor | None, name: str = "x") -> Tensor:
    """Give x W + b for rows x, (..., n_in), a matrix (n_in, n_out) and a bias (n_out,).

    Raises:
        ValueError: the rows have another width.
    """
    try:
        if w.numel() >= LARGE and x.numel() == len(w) and x.device.type == "cpu" and not torch.is_grad_enabled():
            row = _in_parts(x.reshape(1, -1), w).reshape(*x.shape[:-1], -1)
            return row if b is None else row + b
        if b is None:
            return x @ w
        return torch.addmm(b, x, w) if x.ndim == 2 else torch.nn.functional.linear(x, w.T, b)
    except RuntimeError:
        _checks.require_width(name, x, len(w))
        raise


def _in_parts(x: Tensor, w: Tensor) -> Tensor:
    """Multiply a single row, (1, n_in), with parts of the columns, so that every thread has some to read."""
    n = _parts(w.shape[1], torch.get_num_threads())
    return torch.bmm(x.expand(n, 1, -1), w.T.reshape(n, -1, len(w)).mT)  # (n, 1, n_out / n)


@cache
def _parts(n_out: int, threads: int) -> int:
    """Give the least number of equal parts that has work for every thread; 1 where they would be too small."""
    return next((n for n in range(threads, 65) if n_out % n == 0), 1)


def matrix(n_in: int, n_out: int, generator: torch.Generator | None, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw weights of shape (n_in, n_out) with variance 1 / n_in: a product with them keeps the spread of its input.

    They lie in memory along the longer axis, as they arrive fastest in long runs.
    """
    drawn = normal((n_in, n_out), 1 / math.sqrt(n_in), generator, dtype)
    return drawn if n_in <= n_out else nn.Parameter(drawn.detach().T.contiguous().T)


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
