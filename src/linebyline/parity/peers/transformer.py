"""The first Transformer beside PyTorch's own."""

import math
import warnings
from typing import Any

import torch
from torch import Tensor, nn

from clearformer import models
from clearformer.checkpoints.rules import Rule, linear, norm
from clearformer.nn import Block, PostNormBlock, SinusoidalEncoding
from linebyline.parity.peers.pair import Pair, pair


class TorchTransformer(nn.Module):
    """``torch.nn.Transformer``, and around it what that leaves out: embeddings, positions, read-out.

    Args:
        config: The sizes.
        positions: Our table of sines.
        norm_first: Whether norms stand before the layers. Where they stand behind, a last norm would be a second one:
            the two that PyTorch adds are taken off.
    """

    def __init__(self, config: models.TransformerConfig, positions: SinusoidalEncoding, *, norm_first: bool) -> None:
        super().__init__()
        self.scale, self.table = math.sqrt(config.d_model), nn.Embedding(config.vocab_size, config.d_model)
        self.positions = positions
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="enable_nested_tensor is True")
            self.transformer = nn.Transformer(
                config.d_model,
                config.n_heads,
                config.n_layers,
                config.n_layers,
                config.d_ff,
                dropout=config.dropout,
                layer_norm_eps=config.eps,
                batch_first=True,
                norm_first=norm_first,
            )
        if not norm_first:
            self.transformer.encoder.norm = self.transformer.decoder.norm = None

    def forward(self, ids: Tensor, target_ids: Tensor, *, mask: Tensor) -> Tensor:
        """Score every token as the next one of the targets; the mask is True where a token is one."""
        T = target_ids.shape[-1]
        states: Tensor = self.transformer(
            self._embed(ids),
            self._embed(target_ids),
            tgt_mask=torch.ones(T, T, dtype=torch.bool).triu(1),
            src_key_padding_mask=~mask,
            memory_key_padding_mask=~mask,
        )
        return states @ self.table.weight.T

    def _embed(self, ids: Tensor) -> Tensor:
        vectors: Tensor = self.positions(self.scale * self.table(ids))
        return vectors


def transformer_pair(config: models.TransformerConfig, block: type[Block] = PostNormBlock) -> Pair:
    """A first Transformer, and ``torch.nn.Transformer``.

    Args:
        config: The sizes.
        block: ``PostNormBlock``, or ``Block`` for norms before the layers.
    """
    ours: Any = models.transformer(config, block=block)
    norm_first = not issubclass(block, PostNormBlock)
    theirs = TorchTransformer(config, ours.encoder.embedding.position, norm_first=norm_first)
    rules = [Rule("encoder.embedding.table", ("table.weight",))]
    for stack, layers in (("encoder", ["attention"]), ("decoder", ["attention", "cross"])):
        for n in range(config.n_layers):
            rules += _block(f"{stack}.blocks.{n}", f"transformer.{stack}.layers.{n}", layers)
        if norm_first:
            rules += norm(f"{stack}.norm", f"transformer.{stack}.norm")
    return pair(ours, theirs, rules)


def _block(ours: str, theirs: str, layers: list[str]) -> list[Rule]:
    rules = []
    for layer in layers:
        there = f"{theirs}.{'self_attn' if layer == 'attention' else 'multihead_attn'}"
        rules += [
            Rule(f"{ours}.{layer}.w_qkv", (f"{there}.in_proj_weight",), turned=True),
            Rule(f"{ours}.{layer}.b_qkv", (f"{there}.in_proj_bias",)),
            *linear(f"{ours}.{layer}", f"{there}.out_proj", w="w_o", b="b_o"),
        ]
    for number, layer in enumerate([*layers, "feed_forward"], start=1):
        rules += norm(f"{ours}.norm_{layer}", f"{theirs}.norm{number}")
    for number, name in enumerate(("in", "out"), start=1):
        rules += linear(f"{ours}.feed_forward", f"{theirs}.linear{number}", w=f"w_{name}", b=f"b_{name}")
    return rules
