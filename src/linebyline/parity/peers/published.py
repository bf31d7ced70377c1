"""Models beside those of ``transformers``: those that ``clearformer.checkpoints`` reads, and Bloom of our parts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from clearformer import models
from clearformer.models.bert import bert_head_rules, bert_rules, bert_settings, bert_with_head
from clearformer.models.gpt2 import gpt2_rules, gpt2_settings
from clearformer.models.llama import llama_rules, llama_settings
from clearformer.models.t5 import t5_rules, t5_settings
from clearformer.models.tensor_names import Plan, Rule, linear_rules, norm_rules, within
from clearformer.nn import ACTIVATIONS, AlibiBias, Block, Embedding, FeedForward, LayerNorm, MultiHeadAttention
from linebyline.parity.peers.weights import Pair, same_weights

NO_MARKS = {"bos_token_id": None, "eos_token_id": None}


def gpt2_pair(config: models.GPT2Config) -> Pair:
    """Make a GPT-2, and ``GPT2LMHeadModel``."""
    from transformers import GPT2Config, GPT2LMHeadModel

    dropouts = {"resid_pdrop": config.dropout, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    theirs = GPT2LMHeadModel(GPT2Config(**(gpt2_settings(config) | dropouts | NO_MARKS)))
    return same_weights(models.gpt2(config), theirs, within("transformer.", gpt2_rules(config)))


def llama_pair(config: models.LlamaConfig) -> Pair:
    """Make a Llama, and ``LlamaForCausalLM``."""
    from transformers import LlamaConfig, LlamaForCausalLM

    theirs = LlamaForCausalLM(LlamaConfig(**(llama_settings(config) | NO_MARKS)))
    return same_weights(models.llama(config), theirs, llama_rules(config))


def bert_pair(config: models.BertConfig, peer: str = "BertModel", n_outputs: int = 3) -> Pair:
    """Make a BERT, or a RoBERTa from a ``RobertaConfig``, and its peer, such as ``"BertForTokenClassification"``."""
    import transformers

    kind, _, head = peer.replace("Model", "For").partition("For")
    head = head or "Model"
    settings = bert_settings(config, head, n_outputs)
    options = {"add_pooling_layer": False} if head == "Model" else {}
    theirs = getattr(transformers, peer)(getattr(transformers, f"{kind}Config")(**settings), **options)
    rules = bert_rules(config) + bert_head_rules(config, head)
    build = partial(bert_with_head, config, head, n_outputs)
    plan = Plan(config, build, rules, "" if head == "Model" else f"{kind.lower()}.")
    rules = [replace(rule, theirs=tuple(plan.published(name) for name in rule.theirs)) for rule in rules]
    return same_weights(build(), theirs, rules)


def t5_pair(config: models.T5Config) -> Pair:
    """Make a T5, and ``T5ForConditionalGeneration``."""
    from transformers import T5Config, T5ForConditionalGeneration

    theirs = T5ForConditionalGeneration(T5Config(**(t5_settings(config) | {"eos_token_id": None})))
    if not config.tied:  # theirs ties the embedding even if its config says not to, and leaves out the scale
        theirs.lm_head = torch.nn.Linear(config.d_model, config.vocab_size, bias=False)
    # As T5 starts: the first norm would magnify shorter vectors, and their rounding with them.
    return same_weights(models.t5(config), theirs, t5_rules(config), {"shared.weight": 1.0})


@dataclass(frozen=True)
class ByHead(Rule):
    """A rule for queries, keys and values whose rows are grouped by head, each head with its three."""

    n_heads: int = 1

    def apply(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Return the parameter, with all queries first, then all keys, then all values."""
        rows = tensors[self.theirs[0]]
        heads = rows.reshape(self.n_heads, 3, -1, *rows.shape[1:])  # (n_heads, 3, d_k, ...)
        return super().apply({self.theirs[0]: heads.transpose(0, 1).flatten(0, 2)})


def bloom_pair(*, vocab_size: int, d_model: int, n_heads: int, n_layers: int) -> Pair:
    """Make a decoder of our parts, and ``BloomForCausalLM``; its feed-forward layers are 4 d_model wide."""
    from transformers import BloomConfig, BloomForCausalLM

    sizes = {"vocab_size": vocab_size, "hidden_size": d_model, "n_layer": n_layers, "n_head": n_heads}
    theirs = BloomForCausalLM(BloomConfig(**sizes, **NO_MARKS))

    def block() -> Block:
        attention = MultiHeadAttention(d_model, n_heads, bias=True, generator=None)
        network = FeedForward(d_model, 4 * d_model, activation=ACTIVATIONS["gelu_tanh"], generator=None)
        return Block(attention, network, lambda: LayerNorm(d_model))

    embedding = Embedding(vocab_size, d_model, norm=LayerNorm(d_model), generator=None)
    blocks, lm_head = [block() for _ in range(n_layers)], models.TiedLMHead(embedding)
    ours = models.Decoder(embedding, blocks, norm=LayerNorm(d_model), position_bias=AlibiBias(n_heads), lm_head=lm_head)
    return same_weights(ours, theirs, within("transformer.", _bloom_rules(n_heads, n_layers)))


def _bloom_rules(n_heads: int, n_layers: int) -> list[Rule]:
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
