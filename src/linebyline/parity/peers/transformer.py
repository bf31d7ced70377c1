"""The Transformer of 2017 beside PyTorch's own, and beside Marian of ``transformers``."""

import math
import warnings
from typing import Any

import torch
from torch import Size, Tensor, nn

from clearformer import models
from clearformer.models.tensor_names import Rule, attention_rules, linear_rules, norm_rules
from clearformer.nn import Block, PostNormBlock, SinusoidalEncoding
from linebyline.parity.peers.weights import Pair, same_weights

LAYERS = {"encoder": ["attention"], "decoder": ["attention", "cross"]}  # in which tokens meet, by their names here


class TorchTransformer(nn.Module):
    """``torch.nn.Transformer`` with embeddings, our table of sines, and a head, which it leaves out.

    Behind post-norm layers the two last norms that PyTorch adds would be second ones: they are removed.
    """

    def __init__(self, config: models.TransformerConfig, positions: SinusoidalEncoding, *, norm_first: bool) -> None:
        super().__init__()
        self.scale, self.table = math.sqrt(config.d_model), nn.Embedding(config.vocab_size, config.d_model)
        self.positions = positions
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="enable_nested_tensor is True")
            sizes = config.d_model, config.n_heads, config.n_layers, config.n_layers, config.d_ff, config.dropout
            options: Any = {"layer_norm_eps": config.eps, "norm_first": norm_first, "batch_first": True}
            self.transformer = nn.Transformer(*sizes, **options)
        if not norm_first:
            self.transformer.encoder.norm = self.transformer.decoder.norm = None

    def forward(self, ids: Tensor, target_ids: Tensor, *, mask: Tensor) -> Tensor:
        """Return the logits of the next target tokens; the mask is False at padding."""
        source, target = (self.positions(self.scale * self.table(each)) for each in (ids, target_ids))
        masks = {"src_key_padding_mask": ~mask, "memory_key_padding_mask": ~mask}
        causal = torch.ones(target.shape[-2], target.shape[-2], dtype=torch.bool).triu(1)
        hidden_states: Tensor = self.transformer(source, target, tgt_mask=causal, **masks)
        return hidden_states @ self.table.weight.T


def transformer_pair(config: models.TransformerConfig, block: type[Block] = PostNormBlock) -> Pair:
    """Make a Transformer of 2017, with ``PostNormBlock`` or ``Block``, and ``torch.nn.Transformer``."""
    ours: Any = models.transformer(config, block=block)
    norm_first = not issubclass(block, PostNormBlock)
    theirs = TorchTransformer(config, ours.encoder.embedding.position, norm_first=norm_first)
    rules = [Rule("encoder.embedding.table", ("table.weight",))]
    for stack, layers in LAYERS.items():
        for n in range(config.n_layers):
            rules += _torch_rules(f"{stack}.blocks.{n}", f"transformer.{stack}.layers.{n}", layers)
        if norm_first:
            rules += norm_rules(f"{stack}.norm", f"transformer.{stack}.norm")
    return same_weights(ours, theirs, rules)


def _torch_rules(ours: str, theirs: str, layers: list[str]) -> list[Rule]:
    rules = []
    for layer in layers:
        there = f"{theirs}.{'self' if layer == 'attention' else 'multihead'}_attn"
        rules += [
            Rule(f"{ours}.{layer}.w_qkv", (f"{there}.in_proj_weight",), transposed=True),
            Rule(f"{ours}.{layer}.b_qkv", (f"{there}.in_proj_bias",)),
            *linear_rules(f"{ours}.{layer}", f"{there}.out_proj", w="w_o", b="b_o"),
        ]
    for number, layer in enumerate([*layers, "feed_forward"], start=1):
        rules += norm_rules(f"{ours}.norm_{layer}", f"{theirs}.norm{number}")
    for number, name in enumerate(("in", "out"), start=1):
        rules += linear_rules(f"{ours}.feed_forward", f"{theirs}.linear{number}", w=f"w_{name}", b=f"b_{name}")
    return rules


class _MarianPositions(nn.Module):
    """Our table of sines, where theirs has all sines before all cosines."""

    def __init__(self, encoding: SinusoidalEncoding) -> None:
        super().__init__()
        self.encoding = encoding

    def forward(self, shape: Size, first: int = 0, position_ids: Tensor | None = None) -> Tensor:
        """Return the rows of a sequence that begins with position ``first``."""
        return self.encoding.table[first : first + shape[-1]]


def marian_pair(config: models.TransformerConfig) -> Pair:
    """Make a Transformer of 2017, and ``MarianMTModel``, which starts with token 0 and whose ``eps`` is 1e-5."""
    from transformers import MarianConfig, MarianMTModel

    sizes = {"layers": config.n_layers, "attention_heads": config.n_heads, "ffn_dim": config.d_ff}
    stacks = {f"{name}_{size}": value for name in LAYERS for size, value in sizes.items()}
    tables = {"vocab_size": config.vocab_size, "max_position_embeddings": config.context, "d_model": config.d_model}
    marks = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": None, "forced_eos_token_id": None}
    options = {"activation_function": "relu", "scale_embedding": True, "dropout": config.dropout}
    theirs = MarianMTModel(MarianConfig(**tables, **stacks, **marks, **options))
    ours: Any = models.transformer(config)
    theirs.model.encoder.embed_positions = _MarianPositions(ours.encoder.embedding.position)
    theirs.model.decoder.embed_positions = _MarianPositions(ours.encoder.embedding.position)
    return same_weights(ours, theirs, _marian_rules(config))


def _marian_rules(config: models.TransformerConfig) -> list[Rule]:
    rules = [Rule("encoder.embedding.table", ("model.shared.weight",))]
    names = ("q_proj", "k_proj", "v_proj", "out_proj")
    for stack, layers in LAYERS.items():
        for n in range(config.n_layers):
            block, layer = f"{stack}.blocks.{n}", f"model.{stack}.layers.{n}"
            for ours in layers:
                theirs, rows = f"{layer}.{'self' if ours == 'attention' else 'encoder'}_attn", 3 * (config.d_model,)
                rules += attention_rules(f"{block}.{ours}", theirs, names, rows, bias=True)
                rules += norm_rules(f"{block}.norm_{ours}", f"{theirs}_layer_norm")
            rules += linear_rules(f"{block}.feed_forward", f"{layer}.fc1", w="w_in", b="b_in")
            rules += linear_rules(f"{block}.feed_forward", f"{layer}.fc2", w="w_out", b="b_out")
            rules += norm_rules(f"{block}.norm_feed_forward", f"{layer}.final_layer_norm")
    return rules
