"""Components in which tokens meet: attention, in one head and in several, and the whole block."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional
from torch import Tensor
from torch.func import functional_call

from clearformer import functional as F
from clearformer import nn
from linebyline.parity.core import Component

B, T, S, D_K, D_V, D_MODEL, N_HEADS, N_KV_HEADS, D_FF = 2, 5, 7, 3, 4, 12, 4, 2, 10
CAUSAL = F.causal_mask(T)
# Keys hidden as by padding and at random; every query sees the first.
MASK = np.random.default_rng(7).random((B, T, S)) < 0.6
MASK[..., 0] = True

QKV = {"q": (B, T, D_K), "k": (B, S, D_K), "v": (B, S, D_V)}
X = {"x": (B, T, D_MODEL)}
SQUARE, KV, VECTOR = (D_MODEL, D_MODEL), (D_MODEL, D_MODEL * N_KV_HEADS // N_HEADS), (D_MODEL,)
HEADS = {**X, "w_q": SQUARE, "w_k": SQUARE, "w_v": SQUARE, "w_o": SQUARE}
BLOCK = {
    **HEADS,
    "b_qkv": (3 * D_MODEL,),
    "b_o": VECTOR,
    "w_in": (D_MODEL, D_FF),
    "b_in": (D_FF,),
    "w_out": (D_FF, D_MODEL),
    "b_out": VECTOR,
    "gamma_1": VECTOR,
    "beta_1": VECTOR,
    "gamma_2": VECTOR,
    "beta_2": VECTOR,
}


def _random() -> torch.Generator:
    return torch.Generator().manual_seed(0)


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


def _side_by_side(w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Tensor:
    return torch.cat([w_q, w_k, w_v], dim=1)  # (d_model, d_model + 2 d_kv)


def _heads(x: np.ndarray, w_q: np.ndarray, w_k: np.ndarray, w_v: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    n_kv_heads = w_k.shape[1] * N_HEADS // D_MODEL
    return F.multi_head_attention(x, x, w_q, w_k, w_v, w_o, n_heads=N_HEADS, n_kv_heads=n_kv_heads, mask=CAUSAL)[0]


def _our_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Any:
    module = nn.MultiHeadAttention(D_MODEL, N_HEADS, w_k.shape[1] * N_HEADS // D_MODEL, generator=_random())
    weights = {"w_qkv": _side_by_side(w_q, w_k, w_v), "w_o": w_o}
    return functional_call(module, weights, x, {"mask": torch.from_numpy(CAUSAL)})


def _torch_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Any:
    with torch.device("meta"):  # its own weights are never used
        peer = torch.nn.MultiheadAttention(D_MODEL, N_HEADS, bias=False, batch_first=True)
    weights = {"in_proj_weight": _side_by_side(w_q, w_k, w_v).T, "out_proj.weight": w_o.T}
    options = {"attn_mask": ~torch.from_numpy(CAUSAL), "need_weights": False}
    return functional_call(peer, weights, (x, x, x), options)[0]


def _llama_heads(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor) -> Any:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaAttention

    config = LlamaConfig(
        hidden_size=D_MODEL,
        num_attention_heads=N_HEADS,
        num_key_value_heads=N_KV_HEADS,
        attn_implementation="sdpa",
    )
    with torch.device("meta"):
        peer = LlamaAttention(config, layer_idx=0)
    weights = {"q_proj": w_q, "k_proj": w_k, "v_proj": w_v, "o_proj": w_o}
    unturned = x.new_ones(1, T, D_K), x.new_zeros(1, T, D_K)  # cosines and sines of no rotation
    named = {f"{name}.weight": w.T for name, w in weights.items()}
    return functional_call(peer, named, (x, unturned, torch.from_numpy(CAUSAL)[None, None]))[0]


def _block(compose: Any) -> Any:
    """Put the block together from NumPy parts, by the function that says where its norms stand."""

    def block(x: np.ndarray, **w: np.ndarray) -> Any:
        matrices = [w[name] for name in ("w_q", "w_k", "w_v", "w_o")]
        b_q, b_k, b_v = np.split(w["b_qkv"], 3)

        def attend(x: np.ndarray) -> np.ndarray:
            found, _ = F.multi_head_attention(
                x, x, *matrices, n_heads=N_HEADS, mask=CAUSAL, b_q=b_q, b_k=b_k, b_v=b_v, b_o=w["b_o"]
            )
            return found

        def transform(x: np.ndarray) -> np.ndarray:
            return F.feed_forward(x, w["w_in"], w["b_in"], w["w_out"], w["b_out"])

        def norm(number: int) -> Any:
            return lambda x: F.layer_norm(x, w[f"gamma_{number}"], w[f"beta_{number}"])

        return compose(x, (attend, norm(1)), (transform, norm(2)))

    return block


def _our_block(make: type[nn.Block]) -> Any:
    def block(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, **w: Tensor) -> Any:
        attention = nn.MultiHeadAttention(D_MODEL, N_HEADS, bias=True, generator=_random())
        network = nn.FeedForward(D_MODEL, D_FF, generator=_random())
        module = make(attention, network, lambda: nn.LayerNorm(D_MODEL))
        weights = {"attention.w_qkv": _side_by_side(w_q, w_k, w_v)}
        weights |= {f"attention.{name}": w[name] for name in ("b_qkv", "w_o", "b_o")}
        weights |= {f"feed_forward.{name}": w[name] for name in ("w_in", "b_in", "w_out", "b_out")}
        for number, norm in ((1, "norm_attention"), (2, "norm_feed_forward")):
            weights |= {f"{norm}.{name}": w[f"{name}_{number}"] for name in ("gamma", "beta")}
        return functional_call(module, weights, x, {"mask": torch.from_numpy(CAUSAL)})

    return block


def _torch_block(norm_first: bool) -> Any:
    def block(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, **w: Tensor) -> Any:
        with torch.device("meta"):
            peer = torch.nn.TransformerEncoderLayer(
                D_MODEL, N_HEADS, D_FF, 0.0, "gelu", batch_first=True, norm_first=norm_first
            )
        weights = {
            "self_attn.in_proj_weight": _side_by_side(w_q, w_k, w_v).T,
            "self_attn.in_proj_bias": w["b_qkv"],
            "self_attn.out_proj.weight": w["w_o"].T,
            "self_attn.out_proj.bias": w["b_o"],
            "linear1.weight": w["w_in"].T,
            "linear1.bias": w["b_in"],
            "linear2.weight": w["w_out"].T,
            "linear2.bias": w["b_out"],
        }
        for number in (1, 2):
            weights |= {f"norm{number}.weight": w[f"gamma_{number}"], f"norm{number}.bias": w[f"beta_{number}"]}
        return functional_call(peer, weights, x, {"src_mask": ~torch.from_numpy(CAUSAL)})

    return block


ATTENDING = (
    _attention("attention", None, QKV),
    _attention("attention, causal", CAUSAL, {**QKV, "k": (B, T, D_K), "v": (B, T, D_V)}),
    _attention("attention, masked", MASK, QKV),
    Component("multi-head attention, causal", "PyTorch MultiheadAttention", HEADS, _heads, _torch_heads, _our_heads),
    Component(
        "grouped heads, causal",
        "transformers LlamaAttention",
        {**HEADS, "w_k": KV, "w_v": KV},
        _heads,
        _llama_heads,
        _our_heads,
    ),
    Component(
        "block, pre-norm, causal",
        "PyTorch TransformerEncoderLayer",
        BLOCK,
        _block(F.block),
        _torch_block(norm_first=True),
        _our_block(nn.Block),
    ),
    Component(
        "block, post-norm, causal",
        "PyTorch TransformerEncoderLayer",
        BLOCK,
        _block(F.post_norm_block),
        _torch_block(norm_first=False),
        _our_block(nn.PostNormBlock),
    ),
)
