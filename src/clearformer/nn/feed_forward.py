"""The feed-forward layer as modules: each position computes by itself."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.nn import _linear

Activation = Callable[[Tensor], Tensor]
# By the names that configs use.
ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": partial(torch.nn.functional.gelu, approximate="tanh"),
    "relu": torch.nn.functional.relu,
    "silu": torch.nn.functional.silu,
}


class FeedForward(nn.Module):
    r"""Widen each row, bend it, and bring it back to its width; rows do not meet.

    .. math::

        \operatorname{FFN}(X) = \varphi(XW_1 + b_1)\,W_2 + b_2

    Weights are (in, out), as in ``functional.feed_forward``: transpose them for ``nn.Linear``.

    Args:
        d_model: Width of the token vectors.
        d_ff: Width in between, often four times as much.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.
        activation: Works on each number by itself; the exact GELU when left out.
        bias: Whether both products add a bias.
        dtype: Of the weights; PyTorch's default when left out.

    Raises:
        ValueError: a width is not positive.

    Source: Vaswani et al. (2017), eq. 2.

    Example:
        >>> layer = FeedForward(8, 32, generator=torch.Generator().manual_seed(0))
        >>> layer(torch.ones(3, 8)).shape, sum(p.numel() for p in layer.parameters())
        (torch.Size([3, 8]), 552)
    """

    b_in: Tensor | None
    b_out: Tensor | None

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        generator: torch.Generator | None,
        activation: Activation = torch.nn.functional.gelu,
        bias: bool = True,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        _require_widths(d_model, d_ff)
        self.activation = activation
        self.w_in = _linear.matrix(d_model, d_ff, generator, dtype)
        self.register_parameter("b_in", _linear.zeros(d_ff, generator, dtype) if bias else None)
        self.w_out = _linear.matrix(d_ff, d_model, generator, dtype)
        self.register_parameter("b_out", _linear.zeros(d_model, generator, dtype) if bias else None)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Work on each row by itself.

        Raises:
            ValueError: ``x`` has another width.
        """
        hidden = self.activation(_linear.product(x, self.w_in, self.b_in))  # (..., d_ff)
        return _linear.product(hidden, self.w_out, self.b_out)  # (..., d_model)


class GatedFeedForward(nn.Module):
    r"""Let one projection of each row open and close the features of another, and project the product.

    .. math::

        \operatorname{FFN}(X) = \big(\varphi(XW_\text{gate}) \odot XW_\text{up}\big)\,W_\text{down}

    With SiLU as :math:`\varphi` this is SwiGLU, the layer of Llama.

    Args:
        d_model: Width of the token vectors.
        d_ff: Width in between; two thirds of a plain layer's for the same number of weights.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.
        activation: Works on each number of the gate by itself.
        bias: Whether each of the three products adds a bias.
        dtype: Of the weights; PyTorch's default when left out.

    Raises:
        ValueError: a width is not positive.

    Source: Shazeer (2020), eq. 6.

    Example:
        >>> layer = GatedFeedForward(8, 24, generator=torch.Generator().manual_seed(0))
        >>> layer(torch.ones(3, 8)).shape, sum(p.numel() for p in layer.parameters())
        (torch.Size([3, 8]), 576)
    """

    b_gate: Tensor | None
    b_up: Tensor | None
    b_down: Tensor | None

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        generator: torch.Generator | None,
        activation: Activation = torch.nn.functional.silu,
        bias: bool = False,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        _require_widths(d_model, d_ff)
        self.activation = activation
        self.w_gate = _linear.matrix(d_model, d_ff, generator, dtype)
        self.w_up = _linear.matrix(d_model, d_ff, generator, dtype)
        self.w_down = _linear.matrix(d_ff, d_model, generator, dtype)
        for name, width in (("b_gate", d_ff), ("b_up", d_ff), ("b_down", d_model)):
            self.register_parameter(name, _linear.zeros(width, generator, dtype) if bias else None)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Work on each row by itself.

        Raises:
            ValueError: ``x`` has another width.
        """
        gate = self.activation(_linear.product(x, self.w_gate, self.b_gate))  # (..., d_ff)
        return _linear.product(gate * _linear.product(x, self.w_up, self.b_up), self.w_down, self.b_down)


def _require_widths(d_model: int, d_ff: int) -> None:
    if d_model < 1 or d_ff < 1:
        raise ValueError(f"d_model={d_model} and d_ff={d_ff} must be at least 1")
