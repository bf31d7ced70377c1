"""Attention by the products of its definition, which shows its weights."""

import math

import torch
from torch import Tensor


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Give output, (..., n_heads, T, d_k), and weights, (..., n_heads, T, S); keys and values may have fewer heads."""
    sharing = q.shape[-3] // k.shape[-3]
    if sharing > 1:
        k, v = (x.repeat_interleave(sharing, dim=-3) for x in (k, v))
    scores = (q / math.sqrt(q.shape[-1])) @ k.mT  # (..., n_heads, T, S)
    if mask is None:
        weights = scores.softmax(dim=-1)
        return weights @ v, weights
    # A row of -inf alone has no softmax and no gradient: it keeps its scores and loses its weights.
    blind = ~mask.any(dim=-1, keepdim=True)  # (..., T, 1)
    bias = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~(mask | blind), -torch.inf)
    weights = (scores + bias).softmax(dim=-1)
    if blind.any():
        weights = weights.masked_fill(blind, 0)
    return weights @ v, weights
