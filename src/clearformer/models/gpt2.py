"""GPT-2: a decoder with learned positions, norms before the layers, and a table that is read twice."""

from functools import partial

import torch

from clearformer.configs import GPT2Config
from clearformer.models._placed import placed
from clearformer.models.decoder import Decoder
from clearformer.models.read_outs import TiedReadOut
from clearformer.nn import ACTIVATIONS, Block, Embedding, FeedForward, LayerNorm, LearnedEncoding, MultiHeadAttention


def gpt2(config: GPT2Config, generator: torch.Generator | None = None) -> Decoder:
    """Put a GPT-2 together.

    Args:
        config: Its sizes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Radford et al. (2019).

    Example:
        >>> with torch.device("meta"):  # shapes only
        ...     sum(parameter.numel() for parameter in gpt2(GPT2Config()).parameters())
        124439808
    """
    d_model, d_ff, n_heads = config.d_model, config.d_ff, config.n_heads
    activation, sizes = ACTIVATIONS[config.activation], (config.vocab_size, d_model)
    norm = partial(LayerNorm, d_model, eps=config.eps)
    position = LearnedEncoding(config.context, d_model, generator=generator)
    embedding = Embedding(*sizes, position=position, generator=generator)

    def block() -> Block:
        return Block(
            MultiHeadAttention(d_model, n_heads, bias=True, generator=generator),
            FeedForward(d_model, d_ff, activation=activation, generator=generator),
            norm,
            dropout=config.dropout,
        )

    blocks = [block() for _ in range(config.n_layers)]
    read_out = TiedReadOut(embedding)
    decoder = Decoder(embedding, blocks, norm=norm(), read_out=read_out)
    return placed(decoder, generator)
