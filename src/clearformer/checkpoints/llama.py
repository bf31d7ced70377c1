"""The names of Llama's tensors."""

from collections.abc import Collection
from typing import Any

from clearformer.checkpoints.plan import Plan
from clearformer.checkpoints.rules import Rule, attention, linear, norm
from clearformer.checkpoints.settings import Settings
from clearformer.models import LlamaConfig, RotaryScaling

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
FEED_FORWARD = {"w_gate": "gate_proj", "w_up": "up_proj", "w_down": "down_proj"}


def rules(config: LlamaConfig) -> list[Rule]:
    """Give the rules of a Llama.

    Example:
        >>> len(rules(LlamaConfig(n_layers=2)))
        17
    """
    found = [Rule("embedding.table", ("model.embed_tokens.weight",))]
    d_k = config.d_k or config.d_model // config.n_heads
    widths = (config.n_heads * d_k, config.n_kv_heads * d_k, config.n_kv_heads * d_k)
    for n in range(config.n_layers):
        block, layer = f"blocks.{n}", f"model.layers.{n}"
        found += norm(f"{block}.norm_attention", f"{layer}.input_layernorm", beta=False)
        found += attention(f"{block}.attention", f"{layer}.self_attn", ATTENTION, widths)
        found += norm(f"{block}.norm_feed_forward", f"{layer}.post_attention_layernorm", beta=False)
        for ours, theirs in FEED_FORWARD.items():
            found += linear(f"{block}.feed_forward", f"{layer}.mlp.{theirs}", w=ours, b=None)
    lm_head = [] if config.tied else linear("lm_head", "lm_head", b=None)
    return [*found, *norm("norm", "model.norm", beta=False), *lm_head]


def plan(settings: Settings, names: Collection[str]) -> Plan:
    """Plan a Llama from its ``config.json``."""
    settings.require("hidden_act", "silu")
    for bias in ("attention_bias", "mlp_bias"):
        settings.require(bias, False)
    d_model, n_heads = settings.size("hidden_size"), settings.size("num_attention_heads")
    base, scaling = _rotation(settings)
    config = LlamaConfig(
        vocab_size=settings.size("vocab_size"),
        context=settings.size("max_position_embeddings", default=2048),
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
    beside = r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq"
    return Plan(config, rules(config), "model.", copies, beside, tied=config.tied)


def _rotation(settings: Settings) -> tuple[float, RotaryScaling | None]:
    """Read base and scaling, which stand in one object in files of today and beside each other in older ones."""
    today = settings.get("rope_parameters") is not None
    inner = settings.inner("rope_parameters" if today else "rope_scaling")
    base = (inner if today else settings).number("rope_theta", 10000.0)
    kind = inner.get("rope_type", inner.get("type", "default"))
    if kind == "default":
        return base, None
    if kind != "llama3":
        raise inner.error(f"rope_type={kind!r} is not supported, only default and llama3")
    factor, low, high = (inner.number(name, 0.0) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    return base, RotaryScaling(factor, low, high, inner.size("original_max_position_embeddings"))


def describe(config: LlamaConfig) -> dict[str, Any]:
    """Give the settings of a ``config.json``."""
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
