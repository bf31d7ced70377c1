"""The names of GPT-2's tensors, whose matrices are (in, out) like ours."""

from clearformer.checkpoints.rules import Rule, norm
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
