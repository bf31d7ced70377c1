"""Positions without parameters: sines added to token vectors, or rotations of queries and keys."""

import math
from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from clearformer.nn._base import Part
from clearformer.nn.embedding import PositionTable, positions

Layout = Literal["half", "interleaved"]


class SinusoidalEncoding(PositionTable):
    r"""Add to each token vector the sines and cosines of its position.

    .. math::

        PE_{p,2i} = \sin(p\,\omega_i), \qquad PE_{p,2i+1} = \cos(p\,\omega_i), \qquad
        \omega_i = \text{base}^{-2i/d_\text{model}}

    Nothing is learned. The table belongs to the module and moves with it, but is not part of its state. An odd
    ``d_model`` and a ``base`` that is not a positive number are a ValueError.

    Args:
        context: Number of positions in the table.
        d_model: Width of the token vectors, even.
        base: Ratio of the fastest to the slowest angle, nearly.

    Source: Vaswani et al. (2017), section 3.5.

    Example:
        >>> SinusoidalEncoding(8, 4)(torch.zeros(1, 4)).round(decimals=4)
        tensor([[0., 1., 0., 1.]])
    """

    def __init__(self, context: int, d_model: int, *, base: float = 10000.0, dtype: torch.dtype | None = None) -> None:
        angles = _angles(context, "d_model", d_model, base)  # (context, d_model / 2)
        super().__init__(context=context, d_model=d_model)
        table = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # (context, d_model)
        self.register_buffer("table", table.to(dtype or torch.get_default_dtype()), persistent=False)


class RotaryEncoding(Part):
    r"""Rotate each pair of features of queries or keys by an angle that grows with the position.

    .. math::

        \begin{pmatrix} y_a \\ y_b \end{pmatrix} =
        \begin{pmatrix} \cos p\omega_i & -\sin p\omega_i \\ \sin p\omega_i & \cos p\omega_i \end{pmatrix}
        \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \qquad \omega_i = \text{base}^{-2i/d_k}

    Call it on queries and on keys, in every layer; one module can serve all layers. The table keeps its number type
    whatever becomes of the model's: in bfloat16 the angles of far positions would be wrong by whole turns. An odd
    ``d_k``, frequencies that do not fit it, and an unknown layout are a ValueError.

    Args:
        context: Number of positions in the table of angles.
        d_k: Width of a query and a key of one head, even.
        base: Ratio of the fastest to the slowest angle, nearly.
        frequencies: The angle per position of each pair, (d_k / 2,), in the place of the powers of the base.
        layout: Which features form a pair: ``(i, i + d_k / 2)`` if ``"half"``, ``(2i, 2i + 1)`` if
            ``"interleaved"``.

    Source: Su et al. (2024), eq. 34, for interleaved pairs.

    Example:
        >>> RotaryEncoding(8, 2)(torch.tensor([[1.0, 0.0], [1.0, 0.0]])).round(decimals=2)
        tensor([[1.0000, 0.0000],
                [0.5400, 0.8400]])
    """

    cos: Tensor
    sin: Tensor

    def __init__(
        self,
        context: int,
        d_k: int,
        *,
        base: float = 10000.0,
        frequencies: Float[Tensor, " pairs"] | None = None,
        layout: Layout = "half",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        if layout not in ("half", "interleaved"):
            raise ValueError(f"layout={layout!r} is none of 'half', 'interleaved'")
        angles = _angles(context, "d_k", d_k, base, frequencies)  # (context, d_k / 2)
        super().__init__(context=context, d_k=d_k, layout=layout)
        self.layout = layout
        self.register_buffer("cos", angles.cos().to(dtype), persistent=False)
        self.register_buffer("sin", angles.sin().to(dtype), persistent=False)

    def forward(self, x: Float[Tensor, "*batch T d_k"], offset: int = 0) -> Float[Tensor, "*batch T d_k"]:
        """Rotate each row of ``x`` to its position, beginning with position ``offset``.

        Another width of ``x`` than the table has, and a position beyond the context, are a ValueError.
        """
        if x.shape[-1] != 2 * self.cos.shape[-1]:
            raise ValueError(f"x must be (..., T, {2 * self.cos.shape[-1]}), got shape {tuple(x.shape)}")
        cos, sin = (positions(table, x.shape[-2], offset) for table in (self.cos, self.sin))  # (T, d_k / 2) each
        if self.layout == "half":
            a, b = x.chunk(2, dim=-1)  # (..., T, d_k / 2) each
            rotated = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)  # (..., T, d_k)
        else:
            a, b = x[..., ::2], x[..., 1::2]  # (..., T, d_k / 2) each
            rotated = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)  # (..., T, d_k)
        return rotated.to(x.dtype)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "RotaryEncoding":
        """Let the table move to another device, but not be rounded."""
        cos, sin = self.cos, self.sin
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        self.cos, self.sin = cos.to(self.cos.device), sin.to(self.sin.device)
        return self


def _angles(
    context: int, name: str, width: int, base: float, frequencies: Tensor | None = None
) -> Float[Tensor, "context pairs"]:
    """Return the angle of each position and pair, in float64: rounding an angle of thousands would show."""
    if context < 1:
        raise ValueError(f"context={context} must be at least 1")
    if width < 2 or width % 2:
        raise ValueError(f"{name}={width} must be even and at least 2: features come in pairs")
    if not 0 < base < math.inf:
        raise ValueError(f"base={base} must be a positive number")
    if frequencies is None:
        frequencies = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)  # (width / 2,)
    if frequencies.shape != (width // 2,):
        raise ValueError(f"frequencies {tuple(frequencies.shape)} must be ({width // 2},), one for each pair")
    return torch.arange(context, dtype=torch.float64)[:, None] * frequencies  # (context, width / 2)
