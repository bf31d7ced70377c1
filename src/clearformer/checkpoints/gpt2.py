"""The names of GPT-2's tensors, whose matrices are (in, out) like ours."""

from collections.abc import Collection
from typing import Any

from clearformer.checkpoints.plan import ACTIVATIONS, Plan, published_name
from clearformer.checkpoints.rules import Rule, norm
from clearformer.checkpoints.settings import Settings
from clearformer.models import GPT2Config

INSIDE = {
    "attention.w_qkv": "attn.c_attn.weight",
    "attention.b_qkv": "attn.c_attn.bias",
    "attention.w_o": "attn.c_proj.weight",
    "attention.b_o": "attn.c_proj.bias",
    "feed_forward.w_in": "mlp.c_fc.weight",
    "feed_forward.b_in": "mlp.c_fc.bias",
    "feed_forward.w_out": "mlp.c_proj.weight",
    "feed_forward.b_out": "mlp.c_proj.bias",
}


def rules(config: GPT2Config) -> list[Rule]:
    """Give the rules of a GPT-2.

    Example:
        >>> len(rules(GPT2Config(n_layers=2)))
        28
    """
    found = [Rule("embedding.table", ("wte.weight",)), Rule("embedding.position.table", ("wpe.weight",))]
    for n in range(config.n_layers):
        found += norm(f"blocks.{n}.norm_attention", f"h.{n}.ln_1")
        found += norm(f"blocks.{n}.norm_feed_forward", f"h.{n}.ln_2")
        found += [Rule(f"blocks.{n}.{ours}", (f"h.{n}.{theirs}",)) for ours, theirs in INSIDE.items()]
    return [*found, *norm("norm", "ln_f")]


def plan(settings: Settings, names: Collection[str]) -> Plan:
    """Plan a GPT-2 from its ``config.json``."""
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
        activation=settings.choice("activation_function", ACTIVATIONS, "gelu_new"),
        eps=settings.number("layer_norm_epsilon", 1e-5),
    )
    return Plan(
        config,
        rules(config),
        prefix="transformer.",
        copies={"lm_head.weight": "wte.weight"},
        beside=r"h\.\d+\.attn\.(bias|masked_bias)",
        tied=True,
    )


def describe(config: GPT2Config) -> dict[str, Any]:
    """Give the settings of a ``config.json``."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "vocab_size": config.vocab_size,
        "n_positions": config.context,
        "n_embd": config.d_model,
        "n_head": config.n_heads,
        "n_layer": config.n_layers,
        "n_inner": config.d_ff,
        "activation_function": published_name(config.activation),
        "layer_norm_epsilon": config.eps,
    }
