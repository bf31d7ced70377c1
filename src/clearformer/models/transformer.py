"""The first Transformer: an encoder-decoder with sinusoidal positions, and one table for source, target and output."""

import math
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn

from clearformer.models.decoder import Decoder
from clearformer.models.encoder import Encoder
from clearformer.models.encoder_decoder import EncoderDecoder
from clearformer.nn import (
    Block,
    Embedding,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    PostNormBlock,
    SinusoidalEncoding,
    TiedLMHead,
)
from clearformer.nn._base import ModelConfig, on_device_of


@dataclass(frozen=True)
class TransformerConfig(ModelConfig):
    """The sizes of a Transformer; by default those of the base model of the first paper.

    Args:
        vocab_size: Number of tokens, shared by sources and targets.
        context: Number of positions in the table of sines.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        n_layers: Number of blocks of the encoder, and of the decoder.
        d_ff: Width inside the feed-forward layers.
        eps: Of the norms.
        dropout: Fraction of what each layer adds that is dropped during training.
    """

    vocab_size: int = 37000
    context: int = 1024
    d_model: int = 512
    n_heads: int = 8
    n_layers: int = 6
    d_ff: int = 2048
    eps: float = 1e-5
    dropout: float = 0.0


def transformer(
    config: TransformerConfig, generator: torch.Generator | None = None, *, block: type[Block] = PostNormBlock
) -> EncoderDecoder:
    """Build a Transformer of one kind of block; with ``Block``, which is pre-norm, one more norm ends each stack.

    Source: Vaswani et al. (2017), figure 1 and section 3.

    Example:
        >>> with torch.device("meta"):  # shapes only
        ...     sum(parameter.numel() for parameter in transformer(TransformerConfig()).parameters())
        63082496
    """
    d_model, n_heads, d_ff = config.d_model, config.n_heads, config.d_ff
    norm = partial(LayerNorm, d_model, eps=config.eps)
    embedding = Embedding(
        config.vocab_size,
        d_model,
        position=SinusoidalEncoding(config.context, d_model),
        scale=math.sqrt(d_model),
        generator=generator,
    )

    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(d_model, n_heads, bias=True, generator=generator)

    def feed_forward() -> FeedForward:
        relu = nn.functional.relu
        return FeedForward(d_model, d_ff, activation=relu, generator=generator)

    def encoder_block() -> Block:
        layers = attention(), feed_forward()
        return block(*layers, norm, dropout=config.dropout)

    def decoder_block() -> Block:
        layers = attention(), feed_forward()
        return block(*layers, norm, cross=attention(), dropout=config.dropout)

    def last() -> LayerNorm | None:
        return None if issubclass(block, PostNormBlock) else norm()

    n_layers = config.n_layers
    encoder = Encoder(
        embedding,
        [encoder_block() for _ in range(n_layers)],
        norm=last(),
        config=config,
    )
    decoder = Decoder(
        embedding,
        [decoder_block() for _ in range(n_layers)],
        norm=last(),
        lm_head=TiedLMHead(embedding),
        config=config,
    )
    return on_device_of(generator, EncoderDecoder(encoder, decoder, config=config))
