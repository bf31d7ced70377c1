"""The sizes of the named models. Nothing here needs PyTorch, so headers of files are read without waiting for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

ActivationName = Literal["gelu", "gelu_tanh", "relu", "silu"]


def _require_sizes(config: Mapping[str, Any]) -> None:
    """Refuse sizes that are not positive, and activations that nobody knows."""
    for name, size in config.items():
        if isinstance(size, int) and not isinstance(size, bool) and size < 1:
            raise ValueError(f"{name}={size} must be at least 1")
    activation = config.get("activation", "gelu")
    if activation not in get_args(ActivationName):
        raise ValueError(f"activation={activation!r} is none of {', '.join(get_args(ActivationName))}")


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
        _require_sizes(vars(self))


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
        _require_sizes(vars(self))


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
        _require_sizes(vars(self))


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """The sizes of a RoBERTa, by the names of ``BertConfig``; those of RoBERTa-base when left out.

    Published tables of positions begin with two rows that no token ever has; they are no part of the context.
    """

    vocab_size: int = 50265
    n_segments: int = 1
    eps: float = 1e-5


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
        _require_sizes(vars(self))


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes of a Transformer; those of the base model of the first paper when left out.

    Args:
        vocab_size: Number of tokens, shared by sources and targets.
        context: Number of positions in the table of sines.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        n_layers: Number of blocks of the encoder, and of the decoder.
        d_ff: Width inside the feed-forward layers.
        eps: Of the norms.
        dropout: Share of what each layer adds that is left out while training.

    Raises:
        ValueError: a size is not positive.
    """

    vocab_size: int = 37000
    context: int = 1024
    d_model: int = 512
    n_heads: int = 8
    n_layers: int = 6
    d_ff: int = 2048
    eps: float = 1e-5
    dropout: float = 0.0

    def __post_init__(self) -> None:
        _require_sizes(vars(self))
