"""The first Transformer beside Marian of ``transformers``."""

from typing import Any

from torch import Size, Tensor, nn

from clearformer import models
from clearformer.checkpoints.rules import Rule, attention, linear, norm
from clearformer.nn import SinusoidalEncoding
from linebyline.parity.peers.pair import Pair, pair

LAYERS = {
    "encoder": [("attention", "self_attn")],
    "decoder": [("attention", "self_attn"), ("cross", "encoder_attn")],
}


class _Positions(nn.Module):
    """Our table of sines, where theirs has all sines before all cosines."""

    def __init__(self, encoding: SinusoidalEncoding) -> None:
        super().__init__()
        self.encoding = encoding

    def forward(self, shape: Size, first: int = 0, position_ids: Tensor | None = None) -> Tensor:
        """Give the rows of a sequence that begins with position ``first``."""
        return self.encoding.table[first : first + shape[-1]]


def marian_pair(config: models.TransformerConfig) -> Pair:
    """A first Transformer, and ``MarianMTModel``, which starts with token 0 and ends with none.

    Args:
        config: The sizes. Its ``eps`` is that of Marian, 1e-5.
    """
    from transformers import MarianConfig, MarianMTModel

    of_each = {"layers": config.n_layers, "attention_heads": config.n_heads, "ffn_dim": config.d_ff}
    stacks = {f"{stack}_{name}": size for stack in LAYERS for name, size in of_each.items()}
    theirs = MarianMTModel(
        MarianConfig(
            vocab_size=config.vocab_size,
            max_position_embeddings=config.context,
            d_model=config.d_model,
            activation_function="relu",
            scale_embedding=True,
            dropout=config.dropout,
            decoder_start_token_id=0,
            pad_token_id=0,
            eos_token_id=None,
            forced_eos_token_id=None,
            **stacks,
        )
    )
    ours: Any = models.transformer(config)
    for stack in (theirs.model.encoder, theirs.model.decoder):
        stack.embed_positions = _Positions(ours.encoder.embedding.position)
    return pair(ours, theirs, _rules(config))


def _rules(config: models.TransformerConfig) -> list[Rule]:
    rules = [Rule("encoder.embedding.table", ("model.shared.weight",))]
    names = ("q_proj", "k_proj", "v_proj", "out_proj")
    for stack, layers in LAYERS.items():
        for n in range(config.n_layers):
            block, layer = f"{stack}.blocks.{n}", f"model.{stack}.layers.{n}"
            for ours, theirs in layers:
                rules += attention(f"{block}.{ours}", f"{layer}.{theirs}", names, 3 * (config.d_model,), bias=True)
                rules += norm(f"{block}.norm_{ours}", f"{layer}.{theirs}_layer_norm")
            rules += linear(f"{block}.feed_forward", f"{layer}.fc1", w="w_in", b="b_in")
            rules += linear(f"{block}.feed_forward", f"{layer}.fc2", w="w_out", b="b_out")
            rules += norm(f"{block}.norm_feed_forward", f"{layer}.final_layer_norm")
    return rules
