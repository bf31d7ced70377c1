"""The block: attention, then a feed-forward layer, each added to the residual stream."""

from collections.abc import Callable
from functools import partial

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import dropout

from clearformer.nn._linear import Part
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
        >>> import torch
        >>> from clearformer.nn import FeedForward, LayerNorm
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
        >>> import torch
        >>> from clearformer.nn import FeedForward, LayerNorm
        >>> block = PostNormBlock(MultiHeadAttention(2, 1), FeedForward(2, 8), lambda: LayerNorm(2, eps=0.0))
        >>> block(torch.tensor([[1.0, 3.0]])).abs().round(decimals=4).tolist()
        [[1.0, 1.0]]
    """

    def residual(self, x: Tensor, norm: nn.Module, layer: Layer) -> Tensor:
        """Normalize the sum of the stream and the output of a layer."""
        normed: Tensor = norm(x + dropout(layer(x), self.dropout, self.training))
        return normed
