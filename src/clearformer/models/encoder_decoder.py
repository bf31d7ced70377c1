"""The encoder-decoder: a source is read as a whole, and a target is written from it."""

from typing import Any

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer.models.decoder import Decoder, Sources
from clearformer.models.encoder import Encoder
from clearformer.models.stack import padding


class EncoderDecoder(nn.Module):
    r"""Read a source with an encoder, and let a decoder score what could come next in the target.

    .. math::

        p(y_1 \dots y_n \mid ids) = \prod_t p\big(y_t \mid y_{<t}, \operatorname{Encoder}(ids)\big)

    Args:
        encoder: Reads sources.
        decoder: Writes targets; each of its blocks has ``cross``.

    Source: Vaswani et al. (2017), figure 1.

    Example:
        >>> import torch
        >>> from clearformer.models import TransformerConfig, transformer
        >>> config = TransformerConfig(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32)
        >>> model = transformer(config, torch.Generator().manual_seed(0))
        >>> model(torch.tensor([[3, 1, 4]]), torch.tensor([[0, 5]])).shape
        torch.Size([1, 2, 11])
    """

    config: Any  # the config of a named model

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def encode(self, ids: Int[Tensor, "*batch S"], mask: Bool[Tensor, "*batch S"] | None = None) -> Sources:
        """Read sources once, to write from them as often as one likes.

        Args:
            ids: Token ids of the sources, (..., S).
            mask: True where a token is one, and False where it is padding, (..., S).

        Raises:
            TypeError: the ids are not integers, or the mask is not boolean.
            ValueError: an id is not in the vocabulary, there are none, or the mask has another shape.
        """
        states = self.encoder(ids, mask=mask)  # (..., S, d_model)
        return self.decoder.sources(states, padding(mask, ids)[0])

    def forward(
        self,
        ids: Int[Tensor, "*batch S"],
        target_ids: Int[Tensor, "*batch T"],
        *,
        mask: Bool[Tensor, "*batch S"] | None = None,
        target_mask: Bool[Tensor, "*batch T"] | None = None,
    ) -> Float[Tensor, "*batch T vocab_size"]:
        """Score every token as the next one after each position of the targets.

        Args:
            ids: Token ids of the sources, (..., S).
            target_ids: Token ids of the targets so far, (..., T), beginning with a token that starts them.
            mask: True where a token of the source is one, and False where it is padding, (..., S).
            target_mask: The same for the targets, (..., T); the scores after padding are 0.

        Raises:
            TypeError: as ``encode`` does.
            ValueError: as ``encode`` does, or the targets are of another batch.
        """
        logits: Tensor = self.decoder(target_ids, self.encode(ids, mask), mask=target_mask)
        return logits
