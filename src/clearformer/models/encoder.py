"""The encoder: every token looks at all tokens, before and behind."""

from collections.abc import Iterable
from typing import Any, cast

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer.models.stack import Stack, padding
from clearformer.nn import Block


class Encoder(Stack):
    r"""Embed the tokens, and send them through blocks in which each sees all.

    .. math::

        X_0 = \operatorname{Embedding}(ids), \qquad X_l = \operatorname{Block}_l(X_{l-1}), \qquad
        X = \operatorname{Norm}(X_L)

    Args:
        embedding: Gives a vector for each token.
        blocks: What they go through.
        norm: Works on what comes out, as after blocks that normalize first; nothing when left out.
        position_bias: Gives what every block adds to its scores, called with T and S, such as ``RelativeBias``.
        head: What is made of the states; they come back as they are when left out.

    Source: Vaswani et al. (2017), section 3.1.

    Example:
        >>> import torch
        >>> from clearformer.models import BertConfig, bert
        >>> config = BertConfig(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32)
        >>> bert(config, torch.Generator().manual_seed(0))(torch.tensor([[3, 1, 4, 1, 5]])).shape
        torch.Size([1, 5, 8])
    """

    config: Any  # the config of a named model

    def __init__(
        self,
        embedding: nn.Module,
        blocks: Iterable[Block],
        *,
        norm: nn.Module | None = None,
        position_bias: nn.Module | None = None,
        head: nn.Module | None = None,
    ) -> None:
        super().__init__(embedding, blocks, norm=norm, position_bias=position_bias)
        self.head = head or nn.Identity()

    def forward(
        self,
        ids: Int[Tensor, "*batch T"],
        *,
        mask: Bool[Tensor, "*batch T"] | None = None,
        segments: Int[Tensor, "*batch T"] | None = None,
    ) -> Float[Tensor, "..."]:
        """Give the states, or what is read from them.

        Args:
            ids: Token ids, (..., T).
            mask: True where a token is one, and False where it is padding that nobody may see, (..., T).
            segments: The segment of each token, (..., T); all in segment 0 when left out.

        Raises:
            TypeError: the ids are not integers, or the mask is not boolean.
            ValueError: an id is not in the vocabulary, there are none, the positions run out, or the mask has
                another shape.
        """
        read: Tensor = self.head(self.states(ids, mask=mask, segments=segments))
        return read

    def states(
        self,
        ids: Int[Tensor, "*batch T"],
        *,
        mask: Bool[Tensor, "*batch T"] | None = None,
        segments: Int[Tensor, "*batch T"] | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Give the state of each token, and 0 for padding, which goes through no layer; see ``forward``."""
        x, T = self.embedding(ids, segments=segments), ids.shape[-1]  # (..., T, d_model)
        bias = None if self.position_bias is None else self.position_bias(T, T)  # (n_heads, T, T)
        seen, packing = padding(mask, ids)
        if packing is not None:
            x = packing.pack(x)  # (N, d_model)
        for block in cast(Iterable[Block], self.blocks):
            x = block(x, mask=seen, position_bias=bias, packing=packing)
        normed: Tensor = self.norm(x)
        return normed if packing is None else packing.unpack(normed)
