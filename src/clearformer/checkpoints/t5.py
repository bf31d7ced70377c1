"""The names of T5's tensors."""

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from clearformer.checkpoints.plan import Plan
from clearformer.checkpoints.rules import Rule, attention, linear, norm
from clearformer.checkpoints.settings import Settings
from clearformer.models import T5Config
from clearformer.models._config import ActivationName

PLAIN = {"w_in": "wi", "w_out": "wo"}
# The plain name "gated-gelu" means the approximation by tanh there.
FEED_FORWARD: dict[str, ActivationName] = {
    "relu": "relu",
    "gelu": "gelu",
    "gated-gelu": "gelu_tanh",
    "gated-silu": "silu",
    "gated-relu": "relu",
}
GATED = {"w_gate": "wi_0", "w_up": "wi_1", "w_down": "wo"}


def rules(config: T5Config) -> list[Rule]:
    """Give the rules of a T5. Its scores are not divided by the root of d_k: the query weights take the factor in.

    Example:
        >>> len(rules(T5Config(n_layers=2)))
        35
    """
    found = [Rule("encoder.embedding.table", ("shared.weight",))]
    factor, widths = math.sqrt(config.d_k), 3 * (config.n_heads * config.d_k,)
    names = ("q", "k", "v", "o")
    for stack in ("encoder", "decoder"):
        bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        found += [
            Rule(f"{stack}.position_bias.table", (bias,)),
            *norm(f"{stack}.norm", f"{stack}.final_layer_norm", beta=False),
        ]
        layers = [("attention", "SelfAttention"), ("cross", "EncDecAttention")][: 1 if stack == "encoder" else 2]
        for n in range(config.n_layers):
            block, theirs = f"{stack}.blocks.{n}", f"{stack}.block.{n}.layer"
            for number, (ours, name) in enumerate(layers):
                found += attention(f"{block}.{ours}", f"{theirs}.{number}.{name}", names, widths, factor=factor)
                found += norm(f"{block}.norm_{ours}", f"{theirs}.{number}.layer_norm", beta=False)
            last = f"{theirs}.{len(layers)}"
            found += norm(f"{block}.norm_feed_forward", f"{last}.layer_norm", beta=False)
            for ours, name in (GATED if config.gated else PLAIN).items():
                found += linear(f"{block}.feed_forward", f"{last}.DenseReluDense.{name}", w=ours, b=None)
    return found if config.tied else [*found, *linear("decoder.lm_head", "lm_head", b=None)]


def plan(settings: Settings, names: Collection[str]) -> Plan:
    """Plan a T5 from its ``config.json``, and from the names of the tensors."""
    settings.require("is_encoder_decoder", True)
    n_layers = settings.size("num_layers")
    settings.require("num_decoder_layers", n_layers)
    layer = settings.choice("feed_forward_proj", {name: name for name in FEED_FORWARD}, "relu")
    # T5 1.1 is told by states that are not scaled; files of today call its table tied all the same.
    scaled = settings.get("scale_decoder_outputs", settings.get("tie_word_embeddings", True))
    config = T5Config(
        vocab_size=settings.size("vocab_size"),
        d_model=settings.size("d_model"),
        n_heads=settings.size("num_heads"),
        d_k=settings.size("d_kv"),
        n_layers=n_layers,
        d_ff=settings.size("d_ff"),
        n_buckets=settings.size("relative_attention_num_buckets", default=32),
        max_distance=settings.size("relative_attention_max_distance", default=128),
        activation=FEED_FORWARD[layer],
        gated=layer.startswith("gated-"),
        tied=scaled is not False,
        eps=settings.number("layer_norm_epsilon", 1e-6),
    )
    copies = {"encoder.embed_tokens.weight": "shared.weight", "decoder.embed_tokens.weight": "shared.weight"}
    if config.tied:
        copies["lm_head.weight"] = "shared.weight"
    found = rules(config)
    if not config.tied and "lm_head.weight" not in names:
        found[-1] = replace(found[-1], theirs=("shared.weight",))
    beside = r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"
    return Plan(config, found, copies=copies, beside=beside, tied=config.tied)


def describe(config: T5Config) -> dict[str, Any]:
    """Give the settings of a ``config.json``."""
    named = {(activation, name.startswith("gated-")): name for name, activation in FEED_FORWARD.items()}
    layer = named.get((config.activation, config.gated))
    if layer is None:
        asked = f"{'gated ' if config.gated else ''}{config.activation}"
        raise ValueError(f"a T5 with {asked} has no name in a config.json, only {', '.join(FEED_FORWARD)}")
    return {
        "architectures": ["T5ForConditionalGeneration"],
        "model_type": "t5",
        "is_encoder_decoder": True,
        "vocab_size": config.vocab_size,
        "d_model": config.d_model,
        "num_heads": config.n_heads,
        "d_kv": config.d_k,
        "num_layers": config.n_layers,
        "num_decoder_layers": config.n_layers,
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
