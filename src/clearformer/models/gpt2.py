"""GPT-2: a decoder with learned positions, pre-norm blocks, and one table for input and output."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from clearformer.models.decoder import Decoder
from clearformer.models.settings import PUBLISHED_ACTIVATIONS, Settings, published_activation
from clearformer.models.tensor_names import Plan, Rule, norm_rules
from clearformer.nn import (
    ACTIVATIONS,
    Block,
    Embedding,
    FeedForward,
    LayerNorm,
    LearnedEncoding,
    MultiHeadAttention,
    TiedLMHead,
)
from clearformer.nn._base import ActivationName, ModelConfig, on_device_of


@dataclass(frozen=True)
class GPT2Config(ModelConfig):
    """The sizes of a GPT-2; by default those of the smallest published one.

    Args:
        vocab_size: Number of tokens.
        context: Number of positions.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
        activation: Of the feed-forward layers, one of ``nn.ACTIVATIONS``.
        eps: Of the norms.
        dropout: Fraction of what each layer adds that is dropped during training.
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


def gpt2(config: GPT2Config, generator: torch.Generator | None = None) -> Decoder:
    """Build a GPT-2.

    Source: Radford et al. (2019).

    Example:
        >>> with torch.device("meta"):  # shapes only
        ...     sum(parameter.numel() for parameter in gpt2(GPT2Config()).parameters())
        124439808
    """
    d_model, norm = config.d_model, partial(LayerNorm, config.d_model, eps=config.eps)
    position = LearnedEncoding(config.context, d_model, generator=generator)
    embedding = Embedding(config.vocab_size, d_model, position=position, generator=generator)

    def block() -> Block:
        attention = MultiHeadAttention(d_model, config.n_heads, bias=True, generator=generator)
        feed_forward = FeedForward(d_model, config.d_ff, activation=ACTIVATIONS[config.activation], generator=generator)
        return Block(attention, feed_forward, norm, dropout=config.dropout)

    blocks = [block() for _ in range(config.n_layers)]
    decoder = Decoder(embedding, blocks, norm=norm(), lm_head=TiedLMHead(embedding), config=config)
    return on_device_of(generator, decoder)


_NAMES = {
    "attention.w_qkv": "attn.c_attn.weight",
    "attention.b_qkv": "attn.c_attn.bias",
    "attention.w_o": "attn.c_proj.weight",
    "attention.b_o": "attn.c_proj.bias",
    "feed_forward.w_in": "mlp.c_fc.weight",
    "feed_forward.b_in": "mlp.c_fc.bias",
    "feed_forward.w_out": "mlp.c_proj.weight",
    "feed_forward.b_out": "mlp.c_proj.bias",
}


def gpt2_rules(config: GPT2Config) -> list[Rule]:
    """Return the names of the published tensors, whose matrices are (in, out) like ours.

    Example:
        >>> len(gpt2_rules(GPT2Config(n_layers=2)))
        28
    """
    rules = [Rule("embedding.table", ("wte.weight",)), Rule("embedding.position.table", ("wpe.weight",))]
    for n in range(config.n_layers):
        rules += norm_rules(f"blocks.{n}.norm_attention", f"h.{n}.ln_1")
        rules += norm_rules(f"blocks.{n}.norm_feed_forward", f"h.{n}.ln_2")
        rules += [Rule(f"blocks.{n}.{ours}", (f"h.{n}.{theirs}",)) for ours, theirs in _NAMES.items()]
    return [*rules, *norm_rules("norm", "ln_f")]


def plan_gpt2(settings: Settings, names: Collection[str]) -> Plan:
    """Return the plan of a GPT-2 from its ``config.json``."""
    settings.require("scale_attn_weights", True)
    settings.require("scale_attn_by_inverse_layer_idx", False)
    settings.require("add_cross_attention", False)
    settings.require("tie_word_embeddings", True)
    d_model = settings.size("n_embd")
    config = GPT2Config(
        vocab_size=settings.size("vocab_size"),
        context=settings.size("n_positions", "n_ctx"),
        d_model=d_model,
        n_heads=settings.size("n_head"),
        n_layers=settings.size("n_layer"),
        d_ff=settings.size("n_inner", default=4 * d_model),
        activation=settings.choice("activation_function", PUBLISHED_ACTIVATIONS, "gelu_new"),
        eps=settings.number("layer_norm_epsilon", 1e-5),
    )
    copies, ignored = {"lm_head.weight": "wte.weight"}, r"h\.\d+\.attn\.(bias|masked_bias)"
    return Plan(config, partial(gpt2, config), gpt2_rules(config), "transformer.", copies, ignored, tied=True)


def gpt2_settings(config: GPT2Config) -> dict[str, Any]:
    """Return the ``config.json`` of a GPT-2."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": config.vocab_size,
        "n_positions": config.context,
        "n_embd": config.d_model,
        "n_head": config.n_heads,
        "n_layer": config.n_layers,
        "n_inner": config.d_ff,
        "activation_function": published_activation(config.activation),
        "layer_norm_epsilon": config.eps,
    }
