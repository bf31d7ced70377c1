"""Components that encode positions: sines, rotations, and biases on the scores."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from clearformer import functional as F
from clearformer import nn
from linebyline.parity.comparison import Component

T, D_K, D_MODEL, N_HEADS = 11, 6, 6, 8
AT = np.arange(T)
CAUSAL = F.causal_mask(T)
ROUNDED: Any = {"looser": {"float64": 1e-6}, "because": "the peer computes its angles, or all of it, in float32"}


def _roformer(x: Tensor) -> Any:
    """Add RoFormer's table, which has all sines first and all cosines last."""
    from transformers.models.roformer.modeling_roformer import RoFormerSinusoidalPositionalEmbedding

    with torch.device("meta"):  # it would draw a table first
        peer = RoFormerSinusoidalPositionalEmbedding(T, D_MODEL)
    table = peer.create_weight()  # (T, d_model)
    return x + torch.stack(table.chunk(2, dim=-1), dim=-1).flatten(-2).to(x.dtype)


def _llama(x: Tensor) -> Any:
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    config = LlamaConfig(hidden_size=D_K, num_attention_heads=1, head_dim=D_K, max_position_embeddings=T)
    cos, sin = LlamaRotaryEmbedding(config)(x, torch.from_numpy(AT)[None])
    return apply_rotary_pos_emb(x, x, cos, sin)[0]


def _llama4(x: Tensor) -> Any:
    from transformers import Llama4TextConfig
    from transformers.models.llama4.modeling_llama4 import Llama4TextRotaryEmbedding, apply_rotary_emb

    rope = {"rope_type": "default", "rope_theta": 10000.0}
    config = Llama4TextConfig(hidden_size=D_K, num_attention_heads=1, head_dim=D_K, rope_parameters=rope)
    phases = Llama4TextRotaryEmbedding(config)(x, torch.from_numpy(AT)[None])
    rows = x.transpose(1, 2)  # (B, T, n_heads, d_k)
    return apply_rotary_emb(rows, rows, phases)[0].transpose(1, 2)


def _complex(x: Tensor) -> tuple[Tensor, Tensor]:
    """Turn both layouts by multiplying complex numbers, in the number type of ``x``."""
    angles = torch.outer(torch.arange(T).double(), 10000.0 ** (-torch.arange(0, D_K, 2).double() / D_K))
    turns = torch.polar(torch.ones_like(angles), angles).to(x.dtype.to_complex())  # (T, d_k / 2)
    half = torch.complex(*x.chunk(2, dim=-1)) * turns
    interleaved = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turns
    return torch.cat([half.real, half.imag], dim=-1), torch.view_as_real(interleaved).flatten(-2)


def _bloom(scores: Tensor) -> Any:
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    bias = build_alibi_tensor(torch.ones(1, T, dtype=torch.long), N_HEADS, scores.dtype)  # (n_heads, 1, S)
    return (scores + bias).masked_fill(~torch.from_numpy(CAUSAL), -torch.inf).softmax(-1)


def _alibi(scores: np.ndarray) -> Any:
    bias = F.alibi_bias(N_HEADS, T).astype(scores.dtype)  # (n_heads, T, S)
    return F.softmax(np.where(CAUSAL, scores + bias, -np.inf).astype(scores.dtype))


def _rotary(name: str, peer: str, trusted: Any, *layouts: Any, **rounded: Any) -> Component:
    def ours(x: np.ndarray) -> Any:
        return tuple(F.rotary_encoding(x, AT, layout=layout) for layout in layouts)

    def module(x: Tensor) -> Any:
        return tuple(nn.RotaryEncoding(T, D_K, layout=layout, dtype=x.dtype)(x) for layout in layouts)

    shapes = {"x": (2, 3, T, D_K)}  # (B, n_heads, T, d_k)
    return Component(f"rotary, {name}", peer, shapes, ours, trusted, module, **rounded)


POSITIONS = (
    Component(
        "sinusoidal positions",
        "transformers RoFormer",
        {"x": (2, T, D_MODEL)},
        lambda x: x + F.sinusoidal_encoding(T, D_MODEL).astype(x.dtype),
        _roformer,
        lambda x: nn.SinusoidalEncoding(T, D_MODEL, dtype=x.dtype)(x),
        **ROUNDED,
    ),
    _rotary("half layout", "transformers Llama", _llama, "half", **ROUNDED),
    _rotary("interleaved", "transformers Llama4", _llama4, "interleaved", **ROUNDED),
    _rotary("both layouts", "PyTorch polar", _complex, "half", "interleaved"),
    Component("ALiBi, causal weights", "transformers Bloom", {"scores": (2, N_HEADS, T, T)}, _alibi, _bloom),
)
