"""The block: attention, then a feed-forward layer, each added to the stream that runs past it."""

from collections.abc import Callable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from clearformer.nn.attention import MultiHeadAttention
from clearformer.nn.cache import KeyValueCache
from clearformer.nn.packing import Packing

Source = KeyValueCache | None
Mask = Tensor | None


class Block(nn.Module):
    r"""Add to the residual stream what each layer makes of it: attention, the look at a source, the feed-forward layer.

    .. math::

        X' = X + \operatorname{Attention}(\operatorname{Norm}_1(X)), \qquad
        X'' = X' + \operatorname{FFN}(\operatorname{Norm}_2(X'))

    The norms stand before the layers (pre-norm), so nothing but additions lies between input and output.
    With ``cross`` a third layer stands between the two: attention from :math:`X'` to a source.

    Args:
        attention: Mixes positions.
        feed_forward: Works on each position by itself, such as ``FeedForward`` or ``GatedFeedForward``.
        norm: Makes a norm; called once for each layer, such as ``lambda: LayerNorm(64)``.
        cross: Attends to a source, such as the states of an encoder.
        dropout: Share of what each layer adds that is left out at random, while training.

    Raises:
        ValueError: the share is negative or above 1.

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

    norm_cross: nn.Module | None
    cross: MultiHeadAttention | None

    def __init__(
        self,
        attention: MultiHeadAttention,
        feed_forward: nn.Module,
        norm: Callable[[], nn.Module],
        *,
        cross: MultiHeadAttention | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.norm_attention, self.attention = norm(), attention
        self.norm_cross, self.cross = None if cross is None else norm(), cross
        self.norm_feed_forward, self.feed_forward = norm(), feed_forward
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout={dropout} must lie between 0 and 1")
        self.dropout = dropout

    def forward(
        self,
        x: Float[Tensor, "*batch T d_model"],
        source: KeyValueCache | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        source_mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
        packing: Packing | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Send tokens through the block.

        Args:
            x: Tokens, (..., T, d_model).
            source: Keys and values of the source, as ``cross.keys_values`` makes them.
            mask: True where a query may attend to a key; broadcasts to (..., n_heads, T, T).
            source_mask: The same for the S positions of the source; broadcasts to (..., n_heads, T, S).
            position_bias: Added to the scores among the tokens; broadcasts to (..., n_heads, T, T).
            packing: Where the tokens stand, if they are rows without padding, (N, d_model); so is what comes out.

        Raises:
            TypeError: a mask is not boolean, or the bias does not hold floats.
            ValueError: the shapes do not fit together, or there is a source without ``cross``, or the other way round.
        """
        x_attention = self._before(self.norm_attention, x)
        found = self.attention(x_attention, mask=mask, position_bias=position_bias, packing=packing)
        return self._rest(x, found, source, source_mask, packing)

    def extend(
        self,
        x: Float[Tensor, "*batch T d_model"],
        cache: KeyValueCache | None = None,
        source: KeyValueCache | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        source_mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
        packing: Packing | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], KeyValueCache]:
        """Let new positions attend causally to all before them; see ``MultiHeadAttention.extend`` and ``forward``."""
        x_attention = self._before(self.norm_attention, x)
        found, cache = self.attention.extend(
            x_attention, cache, mask=mask, position_bias=position_bias, packing=packing
        )
        return self._rest(x, found, source, source_mask, packing), cache

    def _rest(
        self,
        x: Tensor,
        found: Tensor,
        source: Source,
        seen: Mask,
        packing: Packing | None,
    ) -> Tensor:
        """Add what attention found, and what the other layers make of it."""
        x = self._after(self.norm_attention, x, found)  # (..., T, d_model)
        if self.cross is not None and self.norm_cross is not None:
            if source is None:
                raise ValueError("cross-attention needs a source")
            x_q = self._before(self.norm_cross, x)
            found = self.cross.attend(x_q, source, mask=seen, packing=packing)
            x = self._after(self.norm_cross, x, found)
        elif source is not None:
            raise ValueError("a source, but no cross-attention to it")
        made = self.feed_forward(self._before(self.norm_feed_forward, x))
        return self._after(self.norm_feed_forward, x, made)

    def _before(self, norm: nn.Module, x: Tensor) -> Tensor:
        """Give what a layer works on."""
        normed: Tensor = norm(x)
        return normed

    def _after(self, norm: nn.Module, x: Tensor, added: Tensor) -> Tensor:
        """Give the stream behind a layer."""
        return x + self._dropped(added)

    def _dropped(self, added: Tensor) -> Tensor:
        return nn.functional.dropout(added, self.dropout) if self.training and self.dropout else added


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
        >>> block(torch.tensor([[1.0, 3.0]])).abs().round(decimals=4).tolist()
        [[1.0, 1.0]]
    """

    def _before(self, norm: nn.Module, x: Tensor) -> Tensor:
        return x

    def _after(self, norm: nn.Module, x: Tensor, added: Tensor) -> Tensor:
        normed: Tensor = norm(x + self._dropped(added))
        return normed
