"""The encoder-decoder: a source is read as a whole, and a target is predicted from it."""

from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer.models.decoder import Decoder, Memory
from clearformer.models.encoder import Encoder


class EncoderDecoder(nn.Module):
    r"""Encode a source, and compute logits of the next token of its target.

    .. math::

        p(y_1 \dots y_n \mid ids) = \prod_t p\big(y_t \mid y_{<t}, \operatorname{Encoder}(ids)\big)

    Args:
        encoder: Encodes sources.
        decoder: Predicts targets; each of its blocks has ``cross``.
        config: The sizes, kept as ``config``.

    Source: Vaswani et al. (2017), figure 1.

    Example:
        >>> import torch
        >>> from clearformer.models import TransformerConfig, transformer
        >>> model = transformer(TransformerConfig(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32))
        >>> model(torch.tensor([[3, 1, 4]]), torch.tensor([[0, 5]])).shape
        torch.Size([1, 2, 11])
    """

    def __init__(self, encoder: Encoder, decoder: Decoder, *, config: Any = None) -> None:
        super().__init__()
        self.encoder, self.decoder, self.config = encoder, decoder, config

    def encode(self, ids: Int[Tensor, "*batch S"], mask: Bool[Tensor, "*batch S"] | None = None) -> Memory:
        """Encode sources once, for any number of predictions; errors as of ``Encoder.forward``.

        Args:
            ids: Token ids of the sources, (..., S).
            mask: True for tokens and False for padding, (..., S).
        """
        return self.decoder.memory(self.encoder(ids, mask=mask), mask)

    def forward(
        self,
        ids: Int[Tensor, "*batch S"],
        target_ids: Int[Tensor, "*batch T"],
        *,
        mask: Bool[Tensor, "*batch S"] | None = None,
    ) -> Float[Tensor, "*batch T vocab_size"]:
        """Return the logits of the next token after each position, (..., T, vocab_size); errors as of ``encode``.

        Args:
            ids: Token ids of the sources, (..., S).
            target_ids: Token ids of the targets so far, (..., T), beginning with a start token, padded on the right.
            mask: True for tokens of the source and False for padding, (..., S).
        """
        logits: Tensor = self.decoder(target_ids, self.encode(ids, mask))
        return logits
