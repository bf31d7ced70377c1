"""BERT and RoBERTa: encoders with learned positions, a norm behind each layer, and no mask but that of padding."""

from dataclasses import dataclass
from functools import partial

import torch

from clearformer.models._config import ActivationName, require_sizes
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


@dataclass(frozen=True)
class BertConfig:
    """The sizes of a BERT; those of BERT-base when left out.

    Args:
        vocab_size: Number of tokens it knows.
        context: Number of positions it can see.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
        n_segments: Number of segments, such as the sentences of a pair.
        activation: Of the feed-forward layers, one of ``nn.ACTIVATIONS``.
        eps: Of the norms.
        dropout: Share of what each layer adds that is left out while training.

    Raises:
        ValueError: a size is not positive, or there is no such activation.
    """

    vocab_size: int = 30522
    context: int = 512
    d_model: int = 768
    n_heads: int = 12
    n_layers: int = 12
    d_ff: int = 3072
    n_segments: int = 2
    activation: ActivationName = "gelu"
    eps: float = 1e-12
    dropout: float = 0.0

    def __post_init__(self) -> None:
        require_sizes(vars(self))


def bert(config: BertConfig, generator: torch.Generator | None = None) -> Encoder:
    """Put a BERT together; what is read from its states is set as ``head`` of what comes back.

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
