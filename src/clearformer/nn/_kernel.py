"""Attention itself: here mask and position bias meet, and here is chosen which kernel computes it."""

import math

import torch
import torch.nn.functional
from torch import Tensor

from clearformer.nn import _masks


def attend(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, bias: Tensor | None, *, is_causal: bool = False
) -> Tensor:
    """Average values by the match of queries and keys, with PyTorch's fused kernel, which never shows the weights.

    Args:
        q: Queries, (B, n_heads, T, d_k).
        k: Keys, (B, n_kv_heads, S, d_k); neighbouring heads of the queries share a head of theirs.
        v: Values, (B, n_kv_heads, S, d_k).
        mask: True where a query may attend to a key; broadcasts to (B, n_heads, T, S).
        bias: What is added to the scores; broadcasts likewise.
        is_causal: Whether queries, which are the last T of the S positions, see only what came before them too.

    Returns:
        The output, (B, n_heads, T, d_k); 0 for a query that may attend to nothing.

    Raises:
        TypeError: the mask is not boolean, or the bias does not hold floats.
        ValueError: one of them does not broadcast to the scores.
    """
    if torch.is_grad_enabled() and q.dtype.itemsize < 4 and q.device.type == "cpu":
        # There the way back through the fused kernel takes three times as long as through plain products.
        return attend_in_steps(q, k, v, mask, bias, is_causal=is_causal)[0]
    fused, shared = torch.nn.functional.scaled_dot_product_attention, k.shape[-3] < q.shape[-3]
    if is_causal and mask is None and bias is None and q.shape[-2] == k.shape[-2]:
        return fused(q, k, v, is_causal=True, enable_gqa=shared)
    mask = _seen(q, k, mask, is_causal=is_causal)
    if bias is None:
        return fused(q, k, v, attn_mask=mask, enable_gqa=shared)
    added, blind = _added(q, k, mask, bias)
    output = fused(q, k, v, attn_mask=added, enable_gqa=shared)
    return output if blind is None else output.masked_fill(blind, 0)


def attend_in_steps(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, bias: Tensor | None, *, is_causal: bool = False
) -> tuple[Tensor, Tensor]:
    """Do as ``attend`` does, by the products of the definition, and give the weights as well, (B, n_heads, T, S)."""
    sharing = q.shape[-3] // k.shape[-3]
    if sharing > 1:
        k, v = (x.repeat_interleave(sharing, dim=-3) for x in (k, v))
    scores = (q / math.sqrt(q.shape[-1])) @ k.mT  # (B, n_heads, T, S)
    mask = _seen(q, k, mask, is_causal=is_causal)
    if mask is None and bias is None:
        weights = scores.softmax(dim=-1)
        return weights @ v, weights
    added, blind = _added(q, k, mask, scores.new_zeros(()) if bias is None else bias)
    weights = (scores + added).softmax(dim=-1)  # (B, n_heads, T, S)
    if blind is not None and blind.any():
        weights = weights.masked_fill(blind, 0)
    return weights @ v, weights


def _seen(q: Tensor, k: Tensor, mask: Tensor | None, *, is_causal: bool) -> Tensor | None:
    """Give the mask with causality in it; None where all is seen."""
    T, S = q.shape[-2], k.shape[-2]
    if mask is not None:
        _masks.require_mask(mask, (*q.shape[:-1], S))
        mask = _with_rows(mask)
    if not is_causal or T == 1:  # a single query is the last position, and sees all there is
        return mask
    causal = _masks.causal(T, S, q.device)  # (T, S)
    return causal if mask is None else causal & mask


def _with_rows(x: Tensor) -> Tensor:
    """Give a mask or a bias that is the same for all queries the axis of the queries, which the kernel asks for."""
    return x if x.ndim >= 2 else x.reshape(1, -1)


def _added(q: Tensor, k: Tensor, mask: Tensor | None, bias: Tensor) -> tuple[Tensor, Tensor | None]:
    """Give what is added to the scores: the bias, and -inf where nothing may be seen; and which rows are blind.

    A row of -inf alone has no softmax and no gradient: a blind one gets 0, and its weights are taken away later.
    """
    _masks.require_bias(bias, (*q.shape[:-1], k.shape[-2]))
    bias = _with_rows(bias.to(q.dtype))
    if mask is None:
        return bias, None
    blind = ~mask.any(dim=-1, keepdim=True)  # (..., T, 1)
    hidden = torch.where(blind, 0.0, -torch.inf).to(q.dtype)
    return torch.where(mask, bias, hidden), blind
