"""Products with a fixed matrix, by the fastest way for its size, the number of rows, and the number type."""

import timeit
from collections.abc import Callable
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import linear

# Larger matrices do not stay in a core's cache: a product with few rows takes as long as the weights take to arrive.
LARGE = 1 << 18
# A private operator, which not every version of PyTorch has: for a few rows it takes half as long as ``linear``.
ONEDNN = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
INT8 = getattr(torch, "_weight_int8pack_mm", None)
FEW = 16  # with more rows than this, int8 weights are converted to floats once
STRIDE = 32  # inputs that the int8 kernel reads at once, even beyond the end of a row


class Product:
    r"""The map x W + b, with W in memory by columns; in int8 with a step for each column.

    .. math::

        W_{ij} \approx s_j C_{ji}, \qquad s_j = \max_i |W_{ij}| / 127, \qquad
        C_{ji} = \operatorname{round}(W_{ij} / s_j)

    Args:
        w: The matrix, (n_in, n_out).
        b: The bias, (n_out,).
        int8: Whether to round the matrix, which takes a quarter of the memory, and of the time to read it.

    Source: Wu et al. (2020), symmetric quantization by channel; ``functional.quantize`` is the same in NumPy.

    Example:
        >>> product = Product(torch.tensor([[1.0, 0.5], [-2.0, 0.25]]), None, int8=True)
        >>> product.columns.tolist(), product(torch.tensor([1.0, 2.0])).round(decimals=1)
        ([[64, -127], [127, 64]], tensor([-3.,  1.]))
    """

    def __init__(
        self, w: Float[Tensor, "n_in n_out"], b: Float[Tensor, " n_out"] | None, *, int8: bool = False
    ) -> None:
        columns, self.scale, self.b = w.detach().T, None, None if b is None else b.detach()
        if int8:
            columns, self.b = columns.float(), None if self.b is None else self.b.float()
            scale = columns.abs().amax(dim=1) / 127  # (n_out,)
            self.scale = scale.where(scale > torch.finfo(torch.float32).tiny, 1.0)
            columns = (columns / self.scale[:, None]).round_().to(torch.int8)
        self.columns = columns.contiguous()  # (n_out, n_in)
        self._choose()

    def part(self, first: int, last: int) -> "Product":
        """Return the product with some columns of the matrix, which share its memory."""
        part = object.__new__(Product)
        part.columns, part.b = self.columns[first:last], None if self.b is None else self.b[first:last]
        part.scale = None if self.scale is None else self.scale[first:last]
        part._choose()
        return part

    def _choose(self) -> None:
        on_cpu = self.columns.device.type == "cpu"
        self._large = on_cpu and self.columns.dtype == torch.float32 and self.columns.numel() >= LARGE
        self._packed = on_cpu and INT8 is not None and self.columns.shape[1] % STRIDE == 0

    def __call__(self, x: Float[Tensor, "*batch n_in"]) -> Float[Tensor, "*batch n_out"]:
        """Multiply rows by the matrix, and add the bias."""
        if self.scale is not None:
            return self._int8(x, self.scale)
        if not self._large:
            return linear(x, self.columns, self.b)
        if x.numel() == self.columns.shape[1]:
            return self._one_row(x) if _parts_are_faster() else linear(x, self.columns, self.b)
        if ONEDNN is not None:
            product: Tensor = ONEDNN(x, self.columns, self.b, "none", [], "")
            return product
        return linear(x, self.columns, self.b)

    def _one_row(self, x: Tensor) -> Tensor:
        """Multiply in equal parts, one per thread, as matrix times column."""
        n_out, n_in = self.columns.shape
        n = _parts(n_out, torch.get_num_threads())
        # The column must be a transposed row: with strides (1, 1) a kernel of a fifth of the speed is chosen.
        y = torch.bmm(self.columns.view(n, -1, n_in), x.reshape(1, n_in).T.expand(n, -1, 1))  # (n, n_out / n, 1)
        y = y.reshape(*x.shape[:-1], n_out)
        return y if self.b is None else y + self.b

    def _int8(self, x: Tensor, scale: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        if len(rows) > FEW or not self._packed or INT8 is None:
            y = linear(rows, self.columns.to(x.dtype))
        else:
            y = INT8(rows.bfloat16(), self.columns, torch.ones_like(scale, dtype=torch.bfloat16)).to(x.dtype)
        y = (y * scale.to(x.dtype)).view(*x.shape[:-1], -1)
        return y if self.b is None else y + self.b


@cache
def _parts_are_faster() -> bool:
    """Measure once whether one row is much faster in parts: on some processors it takes half as long."""
    product, x = Product(torch.ones(1024, 2048), None), torch.ones(1, 1024)

    def seconds(call: Callable[[], Tensor]) -> float:
        return min(timeit.repeat(call, number=1, repeat=25))

    return seconds(lambda: product._one_row(x)) < 0.8 * seconds(lambda: linear(x, product.columns))


@cache
def _parts(n_out: int, threads: int) -> int:
    """Return the least number of equal parts with work for every thread; 1 where they would be too small."""
    return next((n for n in range(threads, 65) if n_out % n == 0), 1)
