"""Llama: a decoder with rotary positions, shared keys and values, gated feed-forward layers, and RMS norms."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.models.decoder import Decoder
from clearformer.models.heads import LinearHead
from clearformer.models.settings import Settings
from clearformer.models.tensor_names import Plan, Rule, attention_rules, linear_rules, norm_rules
from clearformer.nn import Block, Embedding, GatedFeedForward, MultiHeadAttention, RMSNorm, RotaryEncoding, TiedLMHead
from clearformer.nn._base import ModelConfig, on_device_of


@dataclass(frozen=True)
class RotaryScaling:
    """How Llama 3 slows the rotation of the slow pairs of features, for a longer context than in pretraining.

    A factor or context that is not positive, and ``low`` not below ``high``, are a ValueError.

    Args:
        factor: How much slower the slowest pairs turn.
        low: Pairs that make fewer turns than this within ``context`` are slowed by the whole factor.
        high: Pairs that make more are left alone; between the two the change is gradual.
        context: The context of pretraining.
    """

    factor: float
    low: float
    high: float
    context: int

    def __post_init__(self) -> None:
        if not (0 < self.factor < math.inf and self.low < self.high and self.context > 0):
            raise ValueError(f"{self}: factor and context must be positive, and low below high")


@dataclass(frozen=True)
class LlamaConfig(ModelConfig):
    """The sizes of a Llama; by default those of the smallest Llama 2.

    Args:
        vocab_size: Number of tokens.
        context: Number of positions.
        d_model: Width of the token vectors.
        n_heads: Heads of the queries in each layer.
        n_kv_heads: Heads of the keys and values.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
        d_k: Width of a head; ``d_model / n_heads`` when left out, which must be whole.
        base: Of the rotary frequencies, positive.
        scaling: Of these frequencies, as in Llama 3.
        eps: Of the norms.
        tied: Whether the table of embeddings is used again as output weights.
        dropout: Fraction of what each layer adds that is dropped during training.
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
        super().__post_init__()
        if not 0 < self.base < math.inf:
            raise ValueError(f"base={self.base} must be a positive number")
        if self.d_k is None and self.d_model % self.n_heads:
            raise ValueError(f"d_model={self.d_model} must be a multiple of n_heads={self.n_heads}")


def llama(config: LlamaConfig, generator: torch.Generator | None = None) -> Decoder:
    """Build a Llama.

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
    return on_device_of(generator, Decoder(embedding, blocks, norm=norm(), lm_head=lm_head, config=config))


def rotary_frequencies(config: LlamaConfig, d_k: int) -> Float[Tensor, " pairs"]:
    r"""Return the angle per position of each pair of features.

    .. math::

        \omega_i = \text{base}^{-2i/d_k}, \qquad
        \omega'_i = \Big(g_i + \frac{1 - g_i}{\text{factor}}\Big)\,\omega_i, \qquad
        g_i = \operatorname{clip}_0^1\frac{\text{context}\cdot\omega_i/2\pi - \text{low}}{\text{high} - \text{low}}

    Args:
        config: Base and scaling; without scaling the result is :math:`\omega_i`.
        d_k: Width of a head.

    Source: Peng et al. (2024) for the ramp; the code released by Grattafiori et al. (2024) for its values.

    Example:
        >>> from clearformer.models import RotaryScaling
        >>> scaled = LlamaConfig(base=100.0, scaling=RotaryScaling(8.0, low=1.0, high=4.0, context=64))
        >>> (rotary_frequencies(LlamaConfig(base=100.0), 4) / rotary_frequencies(scaled, 4)).round(decimals=4).tolist()
        [1.0, 7.6674]
    """
    frequencies = config.base ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)  # (d_k / 2,)
    if config.scaling is None:
        return frequencies
    turns = config.scaling.context * frequencies / (2 * math.pi)  # within the context of pretraining
    kept = ((turns - config.scaling.low) / (config.scaling.high - config.scaling.low)).clamp(0, 1)
    return (kept + (1 - kept) / config.scaling.factor) * frequencies


_ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
_FEED_FORWARD = {"w_gate": "gate_proj", "w_up": "up_proj", "w_down": "down_proj"}


def llama_rules(config: LlamaConfig) -> list[Rule]:
    """Return the names of the published tensors.

    Example:
        >>> len(llama_rules(LlamaConfig(n_layers=2)))
        17
    """
    rules = [Rule("embedding.table", ("model.embed_tokens.weight",))]
    d_k = config.d_k or config.d_model // config.n_heads
    widths = (config.n_heads * d_k, config.n_kv_heads * d_k, config.n_kv_heads * d_k)
    for n in range(config.n_layers):
        block, layer = f"blocks.{n}", f"model.layers.{n}"
        rules += norm_rules(f"{block}.norm_attention", f"{layer}.input_layernorm", beta=False)
        rules += attention_rules(f"{block}.attention", f"{layer}.self_attn", _ATTENTION, widths)
        rules += norm_rules(f"{block}.norm_feed_forward", f"{layer}.post_attention_layernorm", beta=False)
        for ours, theirs in _FEED_FORWARD.items():
            rules += linear_rules(f"{block}.feed_forward", f"{layer}.mlp.{theirs}", w=ours, b=None)
    lm_head = [] if config.tied else linear_rules("lm_head", "lm_head", b=None)
    return [*rules, *norm_rules("norm", "model.norm", beta=False), *lm_head]


def plan_llama(settings: Settings, names: Collection[str]) -> Plan:
    """Return the plan of a Llama from its ``config.json``."""
    settings.require("hidden_act", "silu")
    for bias in ("attention_bias", "mlp_bias"):
        settings.require(bias, False)
    d_model, n_heads = settings.size("hidden_size"), settings.size("num_attention_heads")
    base, scaling = _rotation(settings)
    config = LlamaConfig(
        vocab_size=settings.size("vocab_size"),
        context=settings.size("max_position_embeddings", default=2048, most=1 << 20),
        d_model=d_model,
        n_heads=n_heads,
        n_kv_heads=settings.size("num_key_value_heads", default=n_heads),
        n_layers=settings.size("num_hidden_layers"),
        d_ff=settings.size("intermediate_size"),
        d_k=settings.size("head_dim", default=max(d_model // n_heads, 1)),
        base=base,
        scaling=scaling,
        eps=settings.number("rms_norm_eps", 1e-6),
        tied=settings.choice("tie_word_embeddings", {True: True, False: False}, False),
    )
    copies = {"lm_head.weight": "model.embed_tokens.weight"} if config.tied else {}
    ignored = r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq"
    return Plan(config, partial(llama, config), llama_rules(config), "model.", copies, ignored, config.tied)


def _rotation(settings: Settings) -> tuple[float, RotaryScaling | None]:
    """Read base and scaling: one object in recent files, separate settings in older ones."""
    recent = settings.get("rope_parameters") is not None
    inner = settings.inner("rope_parameters" if recent else "rope_scaling")
    base = (inner if recent else settings).number("rope_theta", 10000.0)
    kind = inner.get("rope_type", inner.get("type", "default"))
    if kind == "default":
        return base, None
    if kind != "llama3":
        raise inner.error(f"rope_type={kind!r} is not supported, only default and llama3")
    factor, low, high = (inner.number(name, 0.0) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    return base, RotaryScaling(factor, low, high, inner.size("original_max_position_embeddings"))


def llama_settings(config: LlamaConfig) -> dict[str, Any]:
    """Return the ``config.json`` of a Llama."""
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": config.base}
    if config.scaling:
        rope |= {
            "rope_type": "llama3",
            "factor": config.scaling.factor,
            "low_freq_factor": config.scaling.low,
            "high_freq_factor": config.scaling.high,
            "original_max_position_embeddings": config.scaling.context,
        }
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": config.vocab_size,
        "max_position_embeddings": config.context,
        "hidden_size": config.d_model,
        "num_attention_heads": config.n_heads,
        "num_key_value_heads": config.n_kv_heads,
        "num_hidden_layers": config.n_layers,
        "intermediate_size": config.d_ff,
        "head_dim": config.d_k or config.d_model // config.n_heads,
        "rope_parameters": rope,
        "rms_norm_eps": config.eps,
        "tie_word_embeddings": config.tied,
        "hidden_act": "silu",
    }
