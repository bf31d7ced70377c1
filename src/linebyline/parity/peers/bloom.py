"""A decoder with ALiBi as its only positions, beside Bloom of ``transformers``."""

from collections.abc import Mapping
from dataclasses import dataclass

from torch import Tensor

from clearformer import models
from clearformer.models.tensor_names import Rule, linear_rules, norm_rules, within
from clearformer.nn import ACTIVATIONS, AlibiBias, Block, Embedding, FeedForward, LayerNorm, MultiHeadAttention
from linebyline.parity.peers.weights import Pair, same_weights


@dataclass(frozen=True)
class ByHead(Rule):
    """A rule for queries, keys and values whose rows are grouped by head, each head with its three."""

    n_heads: int = 1

    def apply(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Return the parameter, with all queries first, then all keys, then all values."""
        (name,) = self.theirs
        rows = tensors[name]
        heads = rows.reshape(self.n_heads, 3, -1, *rows.shape[1:])  # (n_heads, 3, d_k, ...)
        return super().apply({name: heads.transpose(0, 1).flatten(0, 2)})


def bloom_pair(*, vocab_size: int, d_model: int, n_heads: int, n_layers: int) -> Pair:
    """Make a decoder of our parts, and ``BloomForCausalLM``; its feed-forward layers are 4 d_model wide."""
    from transformers import BloomConfig, BloomForCausalLM

    sizes = {"vocab_size": vocab_size, "hidden_size": d_model, "n_layer": n_layers, "n_head": n_heads}
    theirs = BloomForCausalLM(BloomConfig(**sizes, bos_token_id=None, eos_token_id=None))

    def block() -> Block:
        attention = MultiHeadAttention(d_model, n_heads, bias=True, generator=None)
        network = FeedForward(d_model, 4 * d_model, activation=ACTIVATIONS["gelu_tanh"], generator=None)
        return Block(attention, network, lambda: LayerNorm(d_model))

    embedding = Embedding(vocab_size, d_model, norm=LayerNorm(d_model), generator=None)
    blocks, lm_head = [block() for _ in range(n_layers)], models.TiedLMHead(embedding)
    ours = models.Decoder(embedding, blocks, norm=LayerNorm(d_model), position_bias=AlibiBias(n_heads), lm_head=lm_head)
    return same_weights(ours, theirs, within("transformer.", _rules(n_heads, n_layers)))


def _rules(n_heads: int, n_layers: int) -> list[Rule]:
    rules = [Rule("embedding.table", ("word_embeddings.weight",))]
    rules += norm_rules("embedding.norm", "word_embeddings_layernorm")
    for n in range(n_layers):
        block, layer = f"blocks.{n}", f"h.{n}"
        fused = f"{layer}.self_attention.query_key_value"
        rules += [
            ByHead(f"{block}.attention.w_qkv", (f"{fused}.weight",), transposed=True, n_heads=n_heads),
            ByHead(f"{block}.attention.b_qkv", (f"{fused}.bias",), n_heads=n_heads),
            *linear_rules(f"{block}.attention", f"{layer}.self_attention.dense", w="w_o", b="b_o"),
            *norm_rules(f"{block}.norm_attention", f"{layer}.input_layernorm"),
            *norm_rules(f"{block}.norm_feed_forward", f"{layer}.post_attention_layernorm"),
            *linear_rules(f"{block}.feed_forward", f"{layer}.mlp.dense_h_to_4h", w="w_in", b="b_in"),
            *linear_rules(f"{block}.feed_forward", f"{layer}.mlp.dense_4h_to_h", w="w_out", b="b_out"),
        ]
    return [*rules, *norm_rules("norm", "ln_f")]
