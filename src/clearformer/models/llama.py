"""Llama: a decoder with rotated queries and keys, shared keys and values, gated layers, and norms without means."""

import math
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.models._config import require_sizes
from clearformer.models._placed import placed
from clearformer.models.decoder import Decoder
from clearformer.models.heads import LinearHead, TiedLMHead
from clearformer.nn import Block, Embedding, GatedFeedForward, MultiHeadAttention, RMSNorm, RotaryEncoding


@dataclass(frozen=True)
class RotaryScaling:
    """How Llama 3 slows the slow pairs of features down, to reach farther than it was first trained for.

    Args:
        factor: How much slower the slowest pairs turn.
        low: Pairs that make fewer turns than this within ``context`` are slowed by the whole factor.
        high: Pairs that make more are left alone; between the two the change is gradual.
        context: The length of the first training.
    """

    factor: float
    low: float
    high: float
    context: int


@dataclass(frozen=True)
class LlamaConfig:
    """The sizes of a Llama; those of the smallest Llama 2 when left out.

    Args:
        vocab_size: Number of tokens it knows.
        context: Number of positions in its table of angles.
        d_model: Width of the token vectors.
        n_heads: Heads of the queries in each layer.
        n_kv_heads: Heads of the keys and values.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
        d_k: Width of a head; ``d_model / n_heads`` when left out.
        base: Of the rotary frequencies.
        scaling: Of the same, as in Llama 3.
        eps: Of the norms.
        tied: Whether the table of embeddings is read a second time as output.
        dropout: Share of what each layer adds that is left out while training.

    Raises:
        ValueError: a size is not positive.
    """

    vocab_size: int = 32000
    context: int = 4096
    d_model: int = 4096
    n_heads: int = 32
    n_kv_heads: int = 32
    n_layers: int = 32
    d_ff: int = 11008
    d_k: int | None = None
    base: float = 10000.0
    scaling: RotaryScaling | None = None
    eps: float = 1e-5
    tied: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        require_sizes(vars(self))


def llama(config: LlamaConfig, generator: torch.Generator | None = None) -> Decoder:
    """Put a Llama together.

    Args:
        config: Its sizes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Touvron et al. (2023); Grattafiori et al. (2024) for Llama 3.

    Example:
        >>> with torch.device("meta"):  # shapes only
        ...     sum(parameter.numel() for parameter in llama(LlamaConfig()).parameters())
        6738415616
    """
    d_model, d_k = config.d_model, config.d_k or config.d_model // config.n_heads
    norm = partial(RMSNorm, d_model, eps=config.eps)
    rotary = RotaryEncoding(config.context, d_k, frequencies=rotary_frequencies(config, d_k))
    embedding = Embedding(config.vocab_size, d_model, generator=generator)

    def block() -> Block:
        attention = MultiHeadAttention(
            d_model, config.n_heads, config.n_kv_heads, d_k=d_k, rotary=rotary, generator=generator
        )
        return Block(
            attention, GatedFeedForward(d_model, config.d_ff, generator=generator), norm, dropout=config.dropout
        )

    blocks = [block() for _ in range(config.n_layers)]
    lm_head: nn.Module = (
        TiedLMHead(embedding) if config.tied else LinearHead(d_model, config.vocab_size, generator=generator)
    )
    return placed(Decoder(embedding, blocks, norm=norm(), lm_head=lm_head), generator)


def rotary_frequencies(config: LlamaConfig, d_k: int) -> Float[Tensor, " pairs"]:
    r"""Give the angle per position of each pair of features.

    .. math::

        \omega_i = \text{base}^{-2i/d_k}, \qquad
        \omega'_i = \Big(g_i + \frac{1 - g_i}{\text{factor}}\Big)\,\omega_i, \qquad
        g_i = \operatorname{clip}_0^1\frac{\text{context}\cdot\omega_i/2\pi - \text{low}}{\text{high} - \text{low}}

    Args:
        config: Base and scaling; without scaling the :math:`\omega_i` are it.
        d_k: Width of a head.

    Source: Grattafiori et al. (2024), section 3.2, in the form of their reference code.

    Example:
        >>> from clearformer.models import RotaryScaling
        >>> scaled = LlamaConfig(base=100.0, scaling=RotaryScaling(8.0, low=1.0, high=4.0, context=64))
        >>> (rotary_frequencies(LlamaConfig(base=100.0), 4) / rotary_frequencies(scaled, 4)).round(decimals=4).tolist()
        [1.0, 7.6674]
    """
    frequencies = config.base ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)  # (d_k / 2,)
    if config.scaling is None:
        return frequencies
    turns = config.scaling.context * frequencies / (2 * math.pi)  # within the length of the first training
    kept = ((turns - config.scaling.low) / (config.scaling.high - config.scaling.low)).clamp(0, 1)
    return (kept + (1 - kept) / config.scaling.factor) * frequencies
