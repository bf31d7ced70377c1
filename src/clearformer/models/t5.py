"""T5: an encoder-decoder whose only positions are learned biases for distances."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import nn

from clearformer.models.decoder import Decoder
from clearformer.models.encoder import Encoder
from clearformer.models.encoder_decoder import EncoderDecoder
from clearformer.models.heads import LinearHead
from clearformer.models.settings import Settings
from clearformer.models.tensor_names import Plan, Rule, attention_rules, linear_rules, norm_rules
from clearformer.nn import (
    ACTIVATIONS,
    Block,
    Embedding,
    FeedForward,
    GatedFeedForward,
    MultiHeadAttention,
    RelativeBias,
    RMSNorm,
    TiedLMHead,
)
from clearformer.nn._base import ActivationName, ModelConfig, on_device_of


@dataclass(frozen=True)
class T5Config(ModelConfig):
    """The sizes of a T5; by default those of the smallest published one.

    Args:
        vocab_size: Number of tokens.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        d_k: Width of a head.
        n_layers: Number of blocks of the encoder.
        d_ff: Width inside the feed-forward layers.
        n_buckets: Buckets of distances.
        max_distance: The distance from which on all share the last bucket.
        activation: Of the feed-forward layers, one of ``nn.ACTIVATIONS``; T5 1.1 has the GELU by tanh.
        gated: Whether these are gated, as in T5 1.1.
        tied: Whether the table of embeddings is used again as output weights; not so in T5 1.1.
        eps: Of the norms.
        dropout: Fraction of what each layer adds that is dropped during training.
        n_decoder_layers: Number of blocks of the decoder; ``n_layers`` when left out.
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
    n_decoder_layers: int | None = None


def t5(config: T5Config, generator: torch.Generator | None = None) -> EncoderDecoder:
    """Build a T5. Its attention is scaled like any other: published query weights are loaded with the factor in them.

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

    encoder_blocks = [Block(attention(), feed_forward(), norm, dropout=config.dropout) for _ in range(config.n_layers)]
    decoder_blocks = [
        Block(attention(), feed_forward(), norm, cross=attention(), dropout=config.dropout)
        for _ in range(config.n_decoder_layers or config.n_layers)
    ]
    lm_head: nn.Module = (
        TiedLMHead(embedding, scale=1 / math.sqrt(d_model))
        if config.tied
        else LinearHead(d_model, config.vocab_size, generator=generator)
    )
    encoder = Encoder(embedding, encoder_blocks, norm=norm(), position_bias=bias(bidirectional=True), config=config)
    decoder = Decoder(
        embedding, decoder_blocks, norm=norm(), position_bias=bias(bidirectional=False), lm_head=lm_head, config=config
    )
    return on_device_of(generator, EncoderDecoder(encoder, decoder, config=config))


_ATTENTION = ("q", "k", "v", "o")
_PLAIN = {"w_in": "wi", "w_out": "wo"}
_GATED = {"w_gate": "wi_0", "w_up": "wi_1", "w_down": "wo"}
# Each feed_forward_proj: the published name "gated-gelu" means the approximation by tanh.
_FEED_FORWARD: dict[str, ActivationName] = {
    "relu": "relu",
    "gelu": "gelu",
    "gated-gelu": "gelu_tanh",
    "gated-silu": "silu",
    "gated-relu": "relu",
}


def t5_rules(config: T5Config) -> list[Rule]:
    """Return the names of the published tensors. Query weights take in the factor by which we divide the scores.

    Example:
        >>> len(t5_rules(T5Config(n_layers=2)))
        35
    """
    rules = [Rule("encoder.embedding.table", ("shared.weight",))]
    factor, widths = math.sqrt(config.d_k), 3 * (config.n_heads * config.d_k,)
    for stack, n_layers in (("encoder", config.n_layers), ("decoder", config.n_decoder_layers or config.n_layers)):
        bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        rules += [Rule(f"{stack}.position_bias.table", (bias,))]
        rules += norm_rules(f"{stack}.norm", f"{stack}.final_layer_norm", beta=False)
        layers = [("attention", "SelfAttention"), ("cross", "EncDecAttention")][: 1 if stack == "encoder" else 2]
        for n in range(n_layers):
            block, theirs = f"{stack}.blocks.{n}", f"{stack}.block.{n}.layer"
            for number, (ours, name) in enumerate(layers):
                rules += attention_rules(
                    f"{block}.{ours}", f"{theirs}.{number}.{name}", _ATTENTION, widths, factor=factor
                )
                rules += norm_rules(f"{block}.norm_{ours}", f"{theirs}.{number}.layer_norm", beta=False)
            last = f"{theirs}.{len(layers)}"
            rules += norm_rules(f"{block}.norm_feed_forward", f"{last}.layer_norm", beta=False)
            for ours, name in (_GATED if config.gated else _PLAIN).items():
                rules += linear_rules(f"{block}.feed_forward", f"{last}.DenseReluDense.{name}", w=ours, b=None)
    return rules if config.tied else [*rules, *linear_rules("decoder.lm_head", "lm_head", b=None)]


def plan_t5(settings: Settings, names: Collection[str]) -> Plan:
    """Return the plan of a T5 from its ``config.json``."""
    settings.require("is_encoder_decoder", True)
    layer = settings.choice("feed_forward_proj", {name: name for name in _FEED_FORWARD}, "relu")
    # The hidden states of T5 1.1 are not scaled; recent files call its table tied all the same.
    scaled = settings.get("scale_decoder_outputs", settings.get("tie_word_embeddings", True))
    n_layers = settings.size("num_layers")
    config = T5Config(
        vocab_size=settings.size("vocab_size"),
        d_model=settings.size("d_model"),
        n_heads=settings.size("num_heads"),
        d_k=settings.size("d_kv"),
        n_layers=n_layers,
        n_decoder_layers=settings.size("num_decoder_layers", default=n_layers),
        d_ff=settings.size("d_ff"),
        n_buckets=settings.size("relative_attention_num_buckets", default=32),
        max_distance=settings.size("relative_attention_max_distance", default=128),
        activation=_FEED_FORWARD[layer],
        gated=layer.startswith("gated-"),
        tied=scaled is not False,
        eps=settings.number("layer_norm_epsilon", 1e-6),
    )
    copies = {"encoder.embed_tokens.weight": "shared.weight", "decoder.embed_tokens.weight": "shared.weight"}
    if config.tied:
        copies["lm_head.weight"] = "shared.weight"
    ignored = r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"
    rules = t5_rules(config)
    if not config.tied and "lm_head.weight" not in names:
        rules[-1] = replace(rules[-1], theirs=("shared.weight",))
    return Plan(config, partial(t5, config), rules, "", copies, ignored, tied=config.tied)


def t5_settings(config: T5Config) -> dict[str, Any]:
    """Return the ``config.json`` of a T5; an activation that no published one has is a ValueError."""
    named = {(activation, name.startswith("gated-")): name for name, activation in _FEED_FORWARD.items()}
    layer = named.get((config.activation, config.gated))
    if layer is None:
        asked = f"{'gated ' if config.gated else ''}{config.activation}"
        raise ValueError(f"a T5 with {asked} has no name in a config.json, only {', '.join(_FEED_FORWARD)}")
    return {
        "architectures": ["T5ForConditionalGeneration"],
        "model_type": "t5",
        "is_encoder_decoder": True,
        "vocab_size": config.vocab_size,
        "d_model": config.d_model,
        "num_heads": config.n_heads,
        "d_kv": config.d_k,
        "num_layers": config.n_layers,
        "num_decoder_layers": config.n_decoder_layers or config.n_layers,
        "d_ff": config.d_ff,
        "relative_attention_num_buckets": config.n_buckets,
        "relative_attention_max_distance": config.max_distance,
        "feed_forward_proj": layer,
        "layer_norm_epsilon": config.eps,
        "tie_word_embeddings": config.tied,
        "decoder_start_token_id": 0,
        "pad_token_id": 0,
        "eos_token_id": 1,
    }
