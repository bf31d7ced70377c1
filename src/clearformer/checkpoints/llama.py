"""The names of Llama's tensors."""

from clearformer.checkpoints.rules import Rule, attention, linear, norm
from clearformer.models import LlamaConfig

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
FEED_FORWARD = {"w_gate": "gate_proj", "w_up": "up_proj", "w_down": "down_proj"}


def rules(config: LlamaConfig) -> list[Rule]:
    """Give the rules of a Llama.

    Example:
        >>> len(rules(LlamaConfig(n_layers=2)))
        17
    """
    found = [Rule("embedding.table", ("model.embed_tokens.weight",))]
    for n in range(config.n_layers):
        block, layer = f"blocks.{n}", f"model.layers.{n}"
        found += norm(f"{block}.norm_attention", f"{layer}.input_layernorm", beta=False)
        found += attention(f"{block}.attention", f"{layer}.self_attn", ATTENTION)
        found += norm(f"{block}.norm_feed_forward", f"{layer}.post_attention_layernorm", beta=False)
        for ours, theirs in FEED_FORWARD.items():
            found += linear(f"{block}.feed_forward", f"{layer}.mlp.{theirs}", w=ours, b=None)
    read_out = [] if config.tied else linear("read_out", "lm_head", b=None)
    return [*found, *norm("norm", "model.norm", beta=False), *read_out]
