"""The block: attention, then a feed-forward layer, each added to the stream that runs past it."""

from collections.abc import Callable
from typing import TypeVar

from jaxtyping import Bool, Float
from torch import Tensor, nn

from clearformer.nn.attention import MultiHeadAttention
from clearformer.nn.cache import KeyValueCache

Extra = TypeVar("Extra")


class Block(nn.Module):
    r"""Add to the residual stream what attention finds, then what the feed-forward layer makes of it.

    .. math::

        X' = X + \operatorname{Attention}(\operatorname{Norm}_1(X)), \qquad
        X'' = X' + \operatorname{FFN}(\operatorname{Norm}_2(X'))

    The norms stand before the layers (pre-norm), so nothing but additions lies between input and output.

    Args:
        attention: Mixes positions.
        feed_forward: Works on each position by itself, such as ``FeedForward`` or ``SwiGLU``.
        norm: Makes a norm; called twice, such as ``lambda: LayerNorm(64)``.

    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020) for the place of the norms.

    Example:
        >>> import torch
        >>> from clearformer.nn import FeedForward, LayerNorm
        >>> generator = torch.Generator().manual_seed(0)
        >>> attention = MultiHeadAttention(8, 2, generator=generator)
        >>> block = Block(attention, FeedForward(8, 32, generator=generator), lambda: LayerNorm(8))
        >>> block(torch.zeros(3, 8)).shape
        torch.Size([3, 8])
    """

    def __init__(self, attention: MultiHeadAttention, feed_forward: nn.Module, norm: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.norm_attention, self.attention = norm(), attention
        self.norm_feed_forward, self.feed_forward = norm(), feed_forward

    def forward(
        self, x: Float[Tensor, "*batch T d_model"], *, mask: Bool[Tensor, "..."] | None = None
    ) -> Float[Tensor, "*batch T d_model"]:
        """Send tokens through the block.

        Args:
            x: Tokens, (..., T, d_model).
            mask: True where a query may attend to a key; broadcasts to (..., n_heads, T, T).

        Raises:
            TypeError: the mask is not boolean.
            ValueError: the shapes do not fit together.
        """
        return self._through(x, lambda normed: (self.attention(normed, mask=mask), None))[0]

    def with_weights(
        self, x: Float[Tensor, "*batch T d_model"], *, mask: Bool[Tensor, "..."] | None = None
    ) -> tuple[Float[Tensor, "*batch T d_model"], Float[Tensor, "*batch n_heads T T"]]:
        """Do as ``forward`` does, and give the weights of each head as well, (..., n_heads, T, T)."""
        return self._through(x, lambda normed: self.attention.with_weights(normed, mask=mask))

    def extend(
        self,
        x: Float[Tensor, "*batch T d_model"],
        cache: KeyValueCache | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], KeyValueCache]:
        """Let new positions attend causally to all before them; see ``MultiHeadAttention.extend``."""
        return self._through(x, lambda normed: self.attention.extend(normed, cache, mask=mask))

    def _through(self, x: Tensor, attend: Callable[[Tensor], tuple[Tensor, Extra]]) -> tuple[Tensor, Extra]:
        """Send tokens through both layers; what attention gives beside its output is handed on."""
        added, extra = attend(self.norm_attention(x))  # (..., T, d_model)
        x = x + added
        return x + self.feed_forward(self.norm_feed_forward(x)), extra


class PostNormBlock(Block):
    r"""The block of the first Transformer: each norm works on the sum, and so lies on the way through.

    .. math::

        X' = \operatorname{Norm}_1(X + \operatorname{Attention}(X)), \qquad
        X'' = \operatorname{Norm}_2(X' + \operatorname{FFN}(X'))

    Source: Vaswani et al. (2017), section 3.1.

    Example:
        >>> import torch
        >>> from clearformer.nn import FeedForward, LayerNorm
        >>> generator = torch.Generator().manual_seed(0)
        >>> attention = MultiHeadAttention(2, 1, generator=generator)
        >>> block = PostNormBlock(attention, FeedForward(2, 8, generator=generator), lambda: LayerNorm(2, eps=0.0))
        >>> block(torch.tensor([[1.0, 3.0]])).abs().detach()
        tensor([[1., 1.]])
    """

    def _through(self, x: Tensor, attend: Callable[[Tensor], tuple[Tensor, Extra]]) -> tuple[Tensor, Extra]:
        added, extra = attend(x)  # (..., T, d_model)
        x = self.norm_attention(x + added)
        return self.norm_feed_forward(x + self.feed_forward(x)), extra
