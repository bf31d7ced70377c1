"""The feed-forward layer: each position by itself."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.nn._linear import Part, linear, matrix

Activation = Callable[[Tensor], Tensor]
# By the names that configs use.
ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": partial(torch.nn.functional.gelu, approximate="tanh"),
    "relu": torch.nn.functional.relu,
    "silu": torch.nn.functional.silu,
}


class FeedForward(Part):
    r"""Project each row to a greater width, apply a nonlinearity, and project it back.

    .. math::

        \operatorname{FFN}(X) = \varphi(XW_1 + b_1)\,W_2 + b_2

    Weights are (in, out), the transpose of ``nn.Linear``'s.

    Args:
        d_model: Width of the token vectors.
        d_ff: Width in between, often four times as much.
        activation: The nonlinearity; the exact GELU when left out.
        bias: Whether both products add a bias.

    Source: Vaswani et al. (2017), eq. 2.

    Example:
        >>> layer = FeedForward(8, 32)
        >>> layer(torch.ones(3, 8)).shape, sum(p.numel() for p in layer.parameters())
        (torch.Size([3, 8]), 552)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = torch.nn.functional.gelu,
        bias: bool = True,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(d_model=d_model, d_ff=d_ff, bias=bias)
        self.activation = activation
        self.w_in = matrix(d_model, [d_ff], generator, dtype)
        self.b_in = nn.Parameter(self.w_in.new_zeros(d_ff)) if bias else None
        self.w_out = matrix(d_ff, [d_model], generator, dtype)
        self.b_out = nn.Parameter(self.w_in.new_zeros(d_model)) if bias else None

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Transform each row by itself."""
        hidden = self.activation(linear(x, self.w_in, self.b_in))  # (..., d_ff)
        return linear(hidden, self.w_out, self.b_out)


class GatedFeedForward(Part):
    r"""Multiply one projection of each row by the nonlinearity of another, and project the product back.

    .. math::

        \operatorname{FFN}(X) = \big(\varphi(XW_\text{gate}) \odot XW_\text{up}\big)\,W_\text{down}

    With SiLU as :math:`\varphi` this is SwiGLU, the layer of Llama.

    Args:
        d_model: Width of the token vectors.
        d_ff: Width in between; two thirds of a plain layer's for the same number of weights.
        activation: The nonlinearity of the gate.
        bias: Whether the three products add a bias.

    Source: Shazeer (2020), eq. 6.

    Example:
        >>> layer = GatedFeedForward(8, 24)
        >>> layer(torch.ones(3, 8)).shape, sum(p.numel() for p in layer.parameters())
        (torch.Size([3, 8]), 576)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: Activation = torch.nn.functional.silu,
        bias: bool = False,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(d_model=d_model, d_ff=d_ff, bias=bias)
        self.activation = activation
        self.w_gate = matrix(d_model, [d_ff], generator, dtype)
        self.w_up = matrix(d_model, [d_ff], generator, dtype)
        self.w_down = matrix(d_ff, [d_model], generator, dtype)
        self.b_gate = nn.Parameter(self.w_up.new_zeros(d_ff)) if bias else None
        self.b_up = nn.Parameter(self.w_up.new_zeros(d_ff)) if bias else None
        self.b_down = nn.Parameter(self.w_up.new_zeros(d_model)) if bias else None

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Transform each row by itself."""
        gate = self.activation(linear(x, self.w_gate, self.b_gate))  # (..., d_ff)
        return linear(gate * linear(x, self.w_up, self.b_up), self.w_down, self.b_down)
