"""GPT-2: a decoder with learned positions, norms before the layers, and a table that is read twice."""

from dataclasses import dataclass
from functools import partial

import torch

from clearformer.models._config import ActivationName, require_sizes
from clearformer.models._placed import placed
from clearformer.models.decoder import Decoder
from clearformer.models.heads import TiedLMHead
from clearformer.nn import ACTIVATIONS, Block, Embedding, FeedForward, LayerNorm, LearnedEncoding, MultiHeadAttention


@dataclass(frozen=True)
class GPT2Config:
    """The sizes of a GPT-2; those of the smallest published one when left out.

    Args:
        vocab_size: Number of tokens it knows.
        context: Number of positions it can see.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
        activation: Of the feed-forward layers, one of ``nn.ACTIVATIONS``.
        eps: Of the norms.
        dropout: Share of what each layer adds that is left out while training.

    Raises:
        ValueError: a size is not positive, or there is no such activation.
    """

    vocab_size: int = 50257
    context: int = 1024
    d_model: int = 768
    n_heads: int = 12
    n_layers: int = 12
    d_ff: int = 3072
    activation: ActivationName = "gelu_tanh"
    eps: float = 1e-5
    dropout: float = 0.0

    def __post_init__(self) -> None:
        require_sizes(vars(self))


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
    lm_head = TiedLMHead(embedding)
    decoder = Decoder(embedding, blocks, norm=norm(), lm_head=lm_head)
    return placed(decoder, generator)
