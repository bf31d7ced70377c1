"""The product with a matrix, and where its weights start."""

import math
from collections.abc import Sequence
from functools import cache

import torch
import torch.nn.functional
from torch import Tensor, nn

from clearformer.nn import _checks
from clearformer.nn.int8 import Int8Matrix

# Larger matrices do not stay in a core's cache: a product with few rows takes as long as they take to arrive.
LARGE = 1 << 18


def product(x: Tensor, w: Tensor | Int8Matrix, b: Tensor | None, name: str = "x") -> Tensor:
    """Give x W + b for rows x, (..., n_in), a matrix (n_in, n_out) and a bias (n_out,).

    Raises:
        ValueError: the rows have another width.
    """
    if isinstance(w, Int8Matrix):
        row: Tensor = w(x)
        return row if b is None else row + b
    try:
        if w.numel() >= LARGE and _is_at_hand(x, w):
            if x.numel() == len(w):
                row = _in_parts(x.reshape(1, -1), w.T).reshape(*x.shape[:-1], -1)
                return row if b is None else row + b
            if _has_onednn():
                return _by_onednn(x, w.T, b)
        if b is not None and x.ndim == 2:
            return torch.addmm(b, x, w)
        return torch.nn.functional.linear(x, w.T, b)
    except RuntimeError:
        _checks.require_width(name, x, len(w))
        raise


def _is_at_hand(x: Tensor, w: Tensor) -> bool:
    """Whether there is a quicker way to the product: weights of an output in a row, single precision, no gradient."""
    single = x.dtype == w.dtype == torch.float32 and x.device.type == "cpu"
    return single and w.stride(0) == 1 and not torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")


@cache
def _has_onednn() -> bool:
    return hasattr(torch.ops.mkldnn, "_linear_pointwise")


def _by_onednn(x: Tensor, rows: Tensor, b: Tensor | None) -> Tensor:
    """Multiply by oneDNN: for a few rows, such as beams, twice as fast as what PyTorch takes, for many by a tenth."""
    made: Tensor = torch.ops.mkldnn._linear_pointwise(x, rows, b, "none", [], "")
    return made


def _in_parts(x: Tensor, rows: Tensor) -> Tensor:
    """Multiply a matrix, (n_out, n_in), with x, (1, n_in), in parts, so that every thread has rows to read."""
    n = _parts(len(rows), torch.get_num_threads())
    # As matrix times column: the kernel for a row times a turned matrix reads two thirds as fast. The column has to be
    # a turned row, as one with strides (1, 1) is taken for something else, and read at a fifth of the speed.
    return torch.bmm(rows.view(n, -1, x.shape[1]), x.T.expand(n, -1, 1))  # (n, n_out / n, 1)


@cache
def _parts(n_out: int, threads: int) -> int:
    """Give the least number of equal parts that has work for every thread; 1 where they would be too small."""
    return next((n for n in range(threads, 65) if n_out % n == 0), 1)


def matrix(n_in: int, n_out: int, generator: torch.Generator | None, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw weights of shape (n_in, n_out) with variance 1 / n_in: a product with them keeps the spread of its input."""
    return matrices(n_in, (n_out,), generator, dtype)


def matrices(
    n_in: int, widths: Sequence[int], generator: torch.Generator | None, dtype: torch.dtype | None
) -> nn.Parameter:
    """Draw matrices one after the other, and give them side by side.

    In memory the weights of each output lie in a row: so a single x meets them as they arrive, and so published files
    keep them.
    """
    if generator is None:
        return nn.Parameter(torch.empty((sum(widths), n_in), dtype=dtype).T)
    drawn = [normal((n_in, width), 1 / math.sqrt(n_in), generator, dtype).detach() for width in widths]
    return nn.Parameter(torch.cat([w.T for w in drawn]).T)


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
