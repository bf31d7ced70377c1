"""What attends to what: the weights of every head of a model, captured while it runs."""

import math
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from clearformer.nn.attention import MultiHeadAttention


def attention_maps(model: nn.Module, *inputs: Any, **options: Any) -> dict[str, Tensor]:
    """Call a model, and return the attention weights of every head in every layer, by the names of the layers.

    A layer that attends more than once in one call is a ValueError.

    Args:
        model: Any module that holds ``MultiHeadAttention``, or one itself, whose name is ``""``.
        inputs: What it is called with.
        options: The same, by name.

    Returns:
        Weights (..., n_heads, T, S) by name, in the order in which the layers ran. Rows of padding mean nothing.

    Example:
        >>> {name: tuple(w.shape) for name, w in attention_maps(MultiHeadAttention(8, 2), torch.zeros(5, 8)).items()}
        {'': (2, 5, 5)}
    """
    layers = {name: module for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)}
    captured = dict[str, Tensor]()

    def capture(name: str, q: Tensor, k: Tensor, attn_mask: Tensor | None) -> None:
        if name in captured:
            raise ValueError(f"{name or 'the layer'} attends more than once in one call")
        captured[name] = attention_weights(q, k, attn_mask)

    for name, layer in layers.items():
        layer.scores_hook = partial(capture, name)
    try:
        model(*inputs, **options)
    finally:
        for layer in layers.values():
            layer.scores_hook = None
    return captured


def attention_weights(q: Tensor, k: Tensor, attn_mask: Tensor | None) -> Tensor:
    """Return softmax(q k^T / sqrt(d_k) + attn_mask), (..., n_heads, T, S), which the fused kernel does not return."""
    scores = (q / math.sqrt(q.shape[-1])) @ k.repeat_interleave(q.shape[-3] // k.shape[-3], dim=-3).mT
    if attn_mask is not None:
        scores = scores.where(attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return scores.softmax(dim=-1).nan_to_num(0)  # 0 where a query may attend to nothing
