"""The encoder: every token sees all tokens, on both sides."""

from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer.nn import Block


class Encoder(nn.Module):
    r"""Embed the tokens, and send them through blocks in which each sees all.

    .. math::

        X_0 = \operatorname{Embedding}(ids), \qquad X_l = \operatorname{Block}_l(X_{l-1}), \qquad
        X = \operatorname{Norm}(X_L)

    Args:
        embedding: Maps tokens to vectors.
        blocks: What they go through.
        norm: Applied to the last hidden states, as after pre-norm blocks; nothing when left out.
        position_bias: Computes what every block adds to its scores, called with T and S, such as ``RelativeBias``.
        head: Maps hidden states to outputs, such as ``ClassificationHead``; without it they are returned.
        config: The sizes, kept as ``config``.

    Source: Vaswani et al. (2017), section 3.1.

    Example:
        >>> from clearformer.models import BertConfig, bert
        >>> model = bert(BertConfig(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32))
        >>> model(torch.tensor([[3, 1, 4, 1, 5]])).shape
        torch.Size([1, 5, 8])
    """

    def __init__(
        self,
        embedding: nn.Module,
        blocks: Iterable[Block],
        *,
        norm: nn.Module | None = None,
        position_bias: nn.Module | None = None,
        head: nn.Module | None = None,
        config: Any = None,
    ) -> None:
        super().__init__()
        self.embedding, self.blocks, self.position_bias = embedding, nn.ModuleList(blocks), position_bias
        self.norm, self.head, self.config = norm or nn.Identity(), head or nn.Identity(), config

    def forward(
        self,
        ids: Int[Tensor, "*batch T"],
        *,
        mask: Bool[Tensor, "*batch T"] | None = None,
        segments: Int[Tensor, "*batch T"] | None = None,
    ) -> Float[Tensor, "..."]:
        """Return the hidden states, or what the head computes from them. At padding they mean nothing.

        Errors are those of ``Decoder.forward``; a mask of another shape is a ValueError, too.

        Args:
            ids: Token ids, (..., T).
            mask: True for tokens and False for padding, which no token attends to, (..., T).
            segments: The segment of each token, (..., T); all in segment 0 when left out.
        """
        output: Tensor = self.head(self.hidden_states(ids, mask=mask, segments=segments))
        return output

    def hidden_states(
        self,
        ids: Int[Tensor, "*batch T"],
        *,
        mask: Bool[Tensor, "*batch T"] | None = None,
        segments: Int[Tensor, "*batch T"] | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Return the vector of each token after the last block; see ``forward``."""
        if mask is not None and (mask.shape != ids.shape or mask.dtype != torch.bool):
            error = TypeError if mask.dtype != torch.bool else ValueError
            raise error(f"mask must be boolean of shape {tuple(ids.shape)}, got {mask.dtype} {tuple(mask.shape)}")
        x, T = self.embedding(ids, segments=segments), ids.shape[-1]  # (..., T, d_model)
        bias = None if self.position_bias is None else self.position_bias(T, T)  # (n_heads, T, T)
        for block in self.blocks:
            x = block(x, mask=None if mask is None else mask[..., None, None, :], position_bias=bias)
        normed: Tensor = self.norm(x)
        return normed
