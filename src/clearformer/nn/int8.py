"""Matrices in whole numbers of one byte: a step that waits for memory waits a quarter as long."""

import torch
import torch.nn.functional
from jaxtyping import Float, Int8
from torch import Tensor, nn

LARGEST = 127
# With more rows than this it pays to make floats of the whole matrix once.
FEW = 16
# The kernel reads so many inputs at once, and beyond the end of a row that is no multiple.
STRIDE = 32


class Int8Matrix(nn.Module):
    r"""A matrix of whole numbers from -127 to 127, with a step for each output.

    .. math::

        y_j = s_j \sum_i x_i\,C_{ji}, \qquad s_j = \max_i |W_{ij}| / 127, \qquad
        C_{ji} = \operatorname{round}(W_{ij} / s_j)

    It stands in the place of a parameter of shape (n_in, n_out), for computing and not for training. With few rows
    the inputs and the sums are rounded to bfloat16, as PyTorch's kernel for it does; it reads the bytes themselves.

    Args:
        codes: The whole numbers, (n_out, n_in).
        scale: The steps, (n_out,).

    Source: Wu et al. (2020), symmetric quantization by channel; ``functional.quantize`` is the same in NumPy.

    Example:
        >>> matrix = Int8Matrix.of(torch.tensor([[1.0, 0.5], [-2.0, 0.25]]))
        >>> matrix.codes.tolist(), matrix(torch.tensor([1.0, 2.0])).round(decimals=1)
        ([[64, -127], [127, 64]], tensor([-3.,  1.]))
    """

    codes: Tensor
    scale: Tensor

    def __init__(self, codes: Int8[Tensor, "n_out n_in"], scale: Float[Tensor, " n_out"]) -> None:
        super().__init__()
        self.register_buffer("codes", codes)
        self.register_buffer("scale", scale)

    @classmethod
    @torch.no_grad()
    def of(cls, w: Float[Tensor, "n_in n_out"]) -> "Int8Matrix":
        """Round a matrix; no weight moves by more than half a step."""
        rows = w.T.float()  # (n_out, n_in)
        scale = rows.abs().amax(dim=1) / LARGEST  # (n_out,)
        scale = scale.where(scale > torch.finfo(torch.float32).tiny, 1.0)
        return cls((rows / scale[:, None]).round_().to(torch.int8).contiguous(), scale)

    def forward(self, x: Float[Tensor, "*batch n_in"]) -> Float[Tensor, "*batch n_out"]:
        """Multiply rows with the matrix.

        Raises:
            ValueError: they have another width.
        """
        if x.shape[-1] != len(self):
            raise ValueError(f"x must be (..., {len(self)}), got shape {tuple(x.shape)}")
        rows = x.reshape(-1, len(self))
        if len(rows) > FEW or len(self) % STRIDE or x.device.type != "cpu":
            sums = torch.nn.functional.linear(rows, self.codes.to(x.dtype))
        else:
            ones = torch.ones_like(self.scale, dtype=torch.bfloat16)
            sums = torch._weight_int8pack_mm(rows.bfloat16(), self.codes, ones).to(x.dtype)
        return (sums * self.scale.to(x.dtype)).reshape(*x.shape[:-1], -1)

    @property
    def shape(self) -> torch.Size:
        """The shape of the matrix it stands for, (n_in, n_out)."""
        return self.codes.shape[::-1]

    def __len__(self) -> int:
        """Give n_in, as a matrix does."""
        return self.codes.shape[1]

    def __getitem__(self, key: tuple[slice, slice]) -> "Int8Matrix":
        """Give some of the columns, as a matrix does for ``[:, columns]``."""
        every, columns = key
        if every != slice(None):
            raise IndexError(f"columns only can be taken, as [:, columns], got [{every}, {columns}]")
        return Int8Matrix(self.codes[columns], self.scale[columns])
