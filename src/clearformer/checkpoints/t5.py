"""The names of T5's tensors."""

import math

from clearformer.checkpoints.rules import Rule, attention, linear, norm
from clearformer.models import T5Config

PLAIN = {"w_in": "wi", "w_out": "wo"}
GATED = {"w_gate": "wi_0", "w_up": "wi_1", "w_down": "wo"}


def rules(config: T5Config) -> list[Rule]:
    """Give the rules of a T5. Its scores are not divided by the root of d_k: the query weights take the factor in.

    Example:
        >>> len(rules(T5Config(n_layers=2)))
        35
    """
    found = [Rule("encoder.embedding.table", ("shared.weight",))]
    factor = math.sqrt(config.d_k)
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
                found += attention(f"{block}.{ours}", f"{theirs}.{number}.{name}", ("q", "k", "v", "o"), factor=factor)
                found += norm(f"{block}.norm_{ours}", f"{theirs}.{number}.layer_norm", beta=False)
            last = f"{theirs}.{len(layers)}"
            found += norm(f"{block}.norm_feed_forward", f"{last}.layer_norm", beta=False)
            for ours, name in (GATED if config.gated else PLAIN).items():
                found += linear(f"{block}.feed_forward", f"{last}.DenseReluDense.{name}", w=ours, b=None)
    return found if config.tied else [*found, *linear("decoder.read_out", "lm_head", b=None)]
