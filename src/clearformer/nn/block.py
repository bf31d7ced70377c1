"""The block: attention, then a feed-forward layer, each added to the residual stream; and the feed-forward layers."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import dropout, gelu, silu

from clearformer.nn._base import Activation, Part, linear, matrix
from clearformer.nn.attention import KeyValueCache, MultiHeadAttention

Layer = Callable[[Tensor], Tensor]


class Block(Part):
    r"""Add to the residual stream what each layer computes: attention, cross-attention if any, the feed-forward layer.

    .. math::

        X' = X + \operatorname{Attention}(\operatorname{Norm}_1(X)), \qquad
        X'' = X' + \operatorname{FFN}(\operatorname{Norm}_2(X'))

    The norms are before the layers (pre-norm), so nothing but additions lies between input and output.
    Cross-attention from :math:`X'` to a memory comes between the two.

    Args:
        attention: Mixes positions.
        feed_forward: Works on each position by itself, such as ``FeedForward`` or ``GatedFeedForward``.
        norm: Builds a norm; called once for each layer, such as ``lambda: LayerNorm(64)``.
        cross: Attends to a memory, such as the output of an encoder.
        dropout: Fraction of the numbers each layer adds that is dropped at random during training, 0 to 1.

    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020) for the place of the norms.

    Example:
        >>> from clearformer.nn import LayerNorm
        >>> block = Block(MultiHeadAttention(8, 2), FeedForward(8, 32), lambda: LayerNorm(8))
        >>> block(torch.zeros(3, 8)).shape
        torch.Size([3, 8])
    """

    def __init__(
        self,
        attention: MultiHeadAttention,
        feed_forward: nn.Module,
        norm: Callable[[], nn.Module],
        *,
        cross: MultiHeadAttention | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__(dropout=dropout)
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout={dropout} must be between 0 and 1")
        self.norm_attention, self.attention = norm(), attention
        self.norm_cross, self.cross = None if cross is None else norm(), cross
        self.norm_feed_forward, self.feed_forward = norm(), feed_forward
        self.dropout = dropout

    def forward(
        self,
        x: Float[Tensor, "*batch T d_model"],
        memory: KeyValueCache | None = None,
        *,
        memory_mask: Bool[Tensor, "..."] | None = None,
        cache: KeyValueCache | None = None,
        is_causal: bool = False,
        mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Send tokens through the block; a memory without ``cross``, or ``cross`` without one, is a ValueError.

        Args:
            x: Token vectors, (..., T, d_model).
            memory: Keys and values for ``cross``, as its ``keys_values`` returns them.
            memory_mask: True where a query may attend to the memory; broadcasts to (..., n_heads, T, S).
            cache: Keys and values of the positions before ``x``; those of ``x`` are appended.
            is_causal: Whether a position sees no later one.
            mask: True where a query may attend to a key; broadcasts to (..., n_heads, T, S).
            position_bias: Added to the scores; broadcasts to (..., n_heads, T, S).
        """
        if (memory is None) != (self.cross is None):
            raise ValueError("cross-attention needs a memory" if memory is None else "a memory without cross-attention")
        options = {"cache": cache, "is_causal": is_causal, "mask": mask, "position_bias": position_bias}
        attention = partial(self.attention, **options)
        x = self.residual(x, self.norm_attention, attention)
        if self.cross is not None and self.norm_cross is not None:
            cross = partial(self.cross, memory=memory, mask=memory_mask)
            x = self.residual(x, self.norm_cross, cross)
        return self.residual(x, self.norm_feed_forward, self.feed_forward)

    def residual(self, x: Tensor, norm: nn.Module, layer: Layer) -> Tensor:
        """Add the output of a layer, which works on the normalized stream."""
        return x + dropout(layer(norm(x)), self.dropout, self.training)


class PostNormBlock(Block):
    r"""The block of the first Transformer: each norm is applied to the sum.

    .. math::

        X' = \operatorname{Norm}_1(X + \operatorname{Attention}(X)), \qquad
        X'' = \operatorname{Norm}_2(X' + \operatorname{FFN}(X'))

    Source: Vaswani et al. (2017), section 3.1.

    Example:
        >>> from clearformer.nn import LayerNorm
        >>> block = PostNormBlock(MultiHeadAttention(2, 1), FeedForward(2, 8), lambda: LayerNorm(2, eps=0.0))
        >>> block(torch.tensor([[1.0, 3.0]])).abs().round(decimals=4).tolist()
        [[1.0, 1.0]]
    """

    def residual(self, x: Tensor, norm: nn.Module, layer: Layer) -> Tensor:
        """Normalize the sum of the stream and the output of a layer."""
        normed: Tensor = norm(x + dropout(layer(x), self.dropout, self.training))
        return normed


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
        activation: Activation = gelu,
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
        activation: Activation = silu,
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
