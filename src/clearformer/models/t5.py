"""T5: an encoder-decoder that knows positions by learned biases of distances alone."""

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from clearformer.models._config import ActivationName, require_sizes
from clearformer.models._placed import placed
from clearformer.models.decoder import Decoder
from clearformer.models.encoder import Encoder
from clearformer.models.encoder_decoder import EncoderDecoder
from clearformer.models.heads import LinearHead, TiedLMHead
from clearformer.nn import (
    ACTIVATIONS,
    Block,
    Embedding,
    FeedForward,
    GatedFeedForward,
    MultiHeadAttention,
    RelativeBias,
    RMSNorm,
)


@dataclass(frozen=True)
class T5Config:
    """The sizes of a T5; those of the smallest published one when left out.

    Args:
        vocab_size: Number of tokens it knows.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        d_k: Width of a head.
        n_layers: Number of blocks of the encoder, and of the decoder.
        d_ff: Width inside the feed-forward layers.
        n_buckets: Buckets of distances.
        max_distance: The distance from which on all share a bucket.
        activation: Of the feed-forward layers, one of ``nn.ACTIVATIONS``; T5 1.1 has the GELU by tanh.
        gated: Whether these are gated, as in T5 1.1.
        tied: Whether the table of embeddings is read a second time as output; not so in T5 1.1.
        eps: Of the norms.
        dropout: Share of what each layer adds that is left out while training.

    Raises:
        ValueError: a size is not positive, or there is no such activation.
    """

    vocab_size: int = 32128
    d_model: int = 512
    n_heads: int = 8
    d_k: int = 64
    n_layers: int = 6
    d_ff: int = 2048
    n_buckets: int = 32
    max_distance: int = 128
    activation: ActivationName = "relu"
    gated: bool = False
    tied: bool = True
    eps: float = 1e-6
    dropout: float = 0.0

    def __post_init__(self) -> None:
        require_sizes(vars(self))


def t5(config: T5Config, generator: torch.Generator | None = None) -> EncoderDecoder:
    """Put a T5 together. Its attention is scaled like any other: published query weights take the factor in.

    Args:
        config: Its sizes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Raffel et al. (2020); Shazeer (2020) for the gated layers of T5 1.1.

    Example:
        >>> with torch.device("meta"):  # shapes only
        ...     sum(parameter.numel() for parameter in t5(T5Config()).parameters())
        60506624
    """
    d_model, norm = config.d_model, partial(RMSNorm, config.d_model, eps=config.eps)
    embedding = Embedding(config.vocab_size, d_model, generator=generator)

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(d_model, config.n_heads, d_k=config.d_k, generator=generator)

    def feed_forward() -> nn.Module:
        make = GatedFeedForward if config.gated else partial(FeedForward, bias=False)
        return make(d_model, config.d_ff, activation=ACTIVATIONS[config.activation], generator=generator)

    def bias(bidirectional: bool) -> RelativeBias:
        return RelativeBias(
            config.n_heads, config.n_buckets, config.max_distance, bidirectional=bidirectional, generator=generator
        )

    reading = [Block(attention(), feed_forward(), norm, dropout=config.dropout) for _ in range(config.n_layers)]
    writing = [
        Block(attention(), feed_forward(), norm, cross=attention(), dropout=config.dropout)
        for _ in range(config.n_layers)
    ]
    lm_head: nn.Module = (
        TiedLMHead(embedding, scale=1 / math.sqrt(d_model))
        if config.tied
        else LinearHead(d_model, config.vocab_size, generator=generator)
    )
    encoder = Encoder(embedding, reading, norm=norm(), position_bias=bias(bidirectional=True))
    decoder = Decoder(embedding, writing, norm=norm(), position_bias=bias(bidirectional=False), lm_head=lm_head)
    return placed(EncoderDecoder(encoder, decoder), generator)
