"""Components in which tokens meet: attention, in one head and in several, and the whole block."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clearformer import functional as F
from clearformer import nn
from linebyline.parity.comparison import Component, call

B, T, S, D_K, D_V, D_MODEL, N_HEADS, N_KV_HEADS, D_FF = 2, 5, 7, 3, 4, 12, 4, 2, 10
CAUSAL = F.causal_mask(T)
# Keys hidden as by padding and at random; every query sees the first.
MASK = np.random.default_rng(7).random((B, T, S)) < 0.6
MASK[..., 0] = True

QKV = {"q": (B, T, D_K), "k": (B, S, D_K), "v": (B, S, D_V)}
SQUARE, KV, VECTOR = (D_MODEL, D_MODEL), (D_MODEL, D_MODEL * N_KV_HEADS // N_HEADS), (D_MODEL,)
HEADS = {"x": (B, T, D_MODEL), "w_q": SQUARE, "w_k": SQUARE, "w_v": SQUARE, "w_o": SQUARE}
GROUPED = {**HEADS, "w_k": KV, "w_v": KV}
NORMS = ("gamma_1", "beta_1", "gamma_2", "beta_2")
FEED_FORWARD = {"w_in": (D_MODEL, D_FF), "b_in": (D_FF,), "w_out": (D_FF, D_MODEL), "b_out": VECTOR}
BLOCK = {**HEADS, "b_qkv": (3 * D_MODEL,), "b_o": VECTOR, **FEED_FORWARD, **dict.fromkeys(NORMS, VECTOR)}


def _attention(name: str, mask: np.ndarray | None, shapes: Mapping[str, tuple[int, ...]]) -> Component:
    allowed = None if mask is None else torch.from_numpy(mask)
    return Component(
        name,
        "PyTorch scaled_dot_product_attention",
        shapes,
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, mask)[0],
        lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, allowed),
        backward=lambda d_output, q, k, v: F.scaled_dot_product_attention_backward(d_output, q, k, v, mask),
    )


def _side_by_side(*weights: Tensor) -> Tensor:
    return torch.cat(weights, dim=1)  # (d_model, d_model + 2 d_kv)


def _heads(x: np.ndarray, **w: np.ndarray) -> np.ndarray:
    n_kv_heads = w["w_k"].shape[1] * N_HEADS // D_MODEL
    return F.multi_head_attention(x, x, *w.values(), n_heads=N_HEADS, n_kv_heads=n_kv_heads, mask=CAUSAL)[0]


def _our_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Any:
    weights = {"w_qkv": _side_by_side(w_q, w_k, w_v), "w_o": w_o}
    make = partial(nn.MultiHeadAttention, D_MODEL, N_HEADS, w_k.shape[1] * N_HEADS // D_MODEL, generator=None)
    return call(make, weights, x, mask=torch.from_numpy(CAUSAL))


def _torch_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Any:
    weights = {"in_proj_weight": _side_by_side(w_q, w_k, w_v).T, "out_proj.weight": w_o.T}
    make = partial(torch.nn.MultiheadAttention, D_MODEL, N_HEADS, bias=False, batch_first=True)
    return call(make, weights, x, x, x, attn_mask=~torch.from_numpy(CAUSAL), need_weights=False)[0]


def _llama_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Any:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaAttention

    sizes = {"hidden_size": D_MODEL, "num_attention_heads": N_HEADS, "num_key_value_heads": N_KV_HEADS}
    config = LlamaConfig(**sizes, attn_implementation="sdpa")
    weights = {"q_proj": w_q, "k_proj": w_k, "v_proj": w_v, "o_proj": w_o}
    named = {f"{name}.weight": w.T for name, w in weights.items()}
    unturned = x.new_ones(1, T, D_K), x.new_zeros(1, T, D_K)  # cosines and sines of no rotation
    mask = torch.from_numpy(CAUSAL)[None, None]
    return call(lambda: LlamaAttention(config, layer_idx=0), named, x, unturned, mask)[0]


def _block(arrange: Any, x: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, **w: np.ndarray) -> Any:
    """The block in NumPy, in the arrangement of ``F.block`` or ``F.post_norm_block``."""
    biases: Any = dict(zip(("b_q", "b_k", "b_v"), np.split(w["b_qkv"], 3), strict=True), b_o=w["b_o"])

    def attend(x: np.ndarray) -> np.ndarray:
        return F.multi_head_attention(x, x, w_q, w_k, w_v, w["w_o"], n_heads=N_HEADS, mask=CAUSAL, **biases)[0]

    def transform(x: np.ndarray) -> np.ndarray:
        return F.feed_forward(x, *(w[name] for name in FEED_FORWARD))

    def norm(number: int) -> Any:
        return lambda x: F.layer_norm(x, w[f"gamma_{number}"], w[f"beta_{number}"])

    return arrange(x, (attend, norm(1)), (transform, norm(2)))


def _our_block(kind: type[nn.Block], x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, **w: Tensor) -> Any:
    def make() -> nn.Block:
        attention = nn.MultiHeadAttention(D_MODEL, N_HEADS, bias=True, generator=None)
        return kind(attention, nn.FeedForward(D_MODEL, D_FF, generator=None), lambda: nn.LayerNorm(D_MODEL))

    weights = {"attention.w_qkv": _side_by_side(w_q, w_k, w_v)}
    weights |= {f"attention.{name}": w[name] for name in ("b_qkv", "w_o", "b_o")}
    weights |= {f"feed_forward.{name}": w[name] for name in FEED_FORWARD}
    for number, norm in ((1, "norm_attention"), (2, "norm_feed_forward")):
        weights |= {f"{norm}.{name}": w[f"{name}_{number}"] for name in ("gamma", "beta")}
    return call(make, weights, x, mask=torch.from_numpy(CAUSAL))


def _torch_block(norm_first: bool, x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, **w: Tensor) -> Any:
    layer = partial(torch.nn.TransformerEncoderLayer, D_MODEL, N_HEADS, D_FF, dropout=0.0, activation="gelu")
    weights = {"self_attn.in_proj_weight": _side_by_side(w_q, w_k, w_v).T, "self_attn.in_proj_bias": w["b_qkv"]}
    for linear, suffix in (("self_attn.out_proj", "o"), ("linear1", "in"), ("linear2", "out")):
        weights |= {f"{linear}.weight": w[f"w_{suffix}"].T, f"{linear}.bias": w[f"b_{suffix}"]}
    for number in (1, 2):
        weights |= {f"norm{number}.weight": w[f"gamma_{number}"], f"norm{number}.bias": w[f"beta_{number}"]}
    return call(partial(layer, batch_first=True, norm_first=norm_first), weights, x, ~torch.from_numpy(CAUSAL))


PRE_NORM = partial(_block, F.block), partial(_torch_block, True), partial(_our_block, nn.Block)
POST_NORM = partial(_block, F.post_norm_block), partial(_torch_block, False), partial(_our_block, nn.PostNormBlock)

ATTENTION = (
    _attention("attention", None, QKV),
    _attention("attention, causal", CAUSAL, {**QKV, "k": (B, T, D_K), "v": (B, T, D_V)}),
    _attention("attention, masked", MASK, QKV),
    Component("multi-head attention, causal", "PyTorch MultiheadAttention", HEADS, _heads, _torch_heads, _our_heads),
    Component("grouped heads, causal", "transformers LlamaAttention", GROUPED, _heads, _llama_heads, _our_heads),
    Component("block, pre-norm, causal", "PyTorch TransformerEncoderLayer", BLOCK, *PRE_NORM),
    Component("block, post-norm, causal", "PyTorch TransformerEncoderLayer", BLOCK, *POST_NORM),
)
