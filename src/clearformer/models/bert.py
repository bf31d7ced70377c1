"""BERT and RoBERTa: encoders with learned positions, a norm behind each layer, and no mask but that of padding."""

from functools import partial

import torch

from clearformer.configs import BertConfig
from clearformer.models._placed import placed
from clearformer.models.encoder import Encoder
from clearformer.nn import (
    ACTIVATIONS,
    Embedding,
    FeedForward,
    LayerNorm,
    LearnedEncoding,
    MultiHeadAttention,
    PostNormBlock,
)


def bert(config: BertConfig, generator: torch.Generator | None = None) -> Encoder:
    """Put a BERT together; what is read from its states is set as ``read_out`` of what comes back.

    Args:
        config: Its sizes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Devlin et al. (2019).

    Example:
        >>> with torch.device("meta"):  # shapes only; the pooler is part of a read-out here
        ...     sum(parameter.numel() for parameter in bert(BertConfig()).parameters())
        108891648
    """
    norm = partial(LayerNorm, config.d_model, eps=config.eps)
    position = LearnedEncoding(config.context, config.d_model, generator=generator)
    embedding = Embedding(
        config.vocab_size,
        config.d_model,
        position=position,
        n_segments=config.n_segments,
        norm=norm(),
        generator=generator,
    )

    def block() -> PostNormBlock:
        attention = MultiHeadAttention(config.d_model, config.n_heads, bias=True, generator=generator)
        feed_forward = FeedForward(
            config.d_model, config.d_ff, activation=ACTIVATIONS[config.activation], generator=generator
        )
        return PostNormBlock(attention, feed_forward, norm, dropout=config.dropout)

    return placed(Encoder(embedding, [block() for _ in range(config.n_layers)]), generator)
