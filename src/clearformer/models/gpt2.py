"""GPT-2: a decoder with learned positions, norms before the layers, and a table that is read twice."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from clearformer.models._config import ActivationName, require_sizes
from clearformer.models._placed import placed
from clearformer.models.decoder import Decoder
from clearformer.models.heads import TiedLMHead
from clearformer.models.settings import PUBLISHED_ACTIVATIONS, Settings, published_activation
from clearformer.models.tensor_names import Plan, Rule, norm_rules
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
