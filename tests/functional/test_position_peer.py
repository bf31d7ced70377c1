"""Positions against the ones of Hugging Face's library `transformers`."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from clearformer import functional as F

D_K, LONG = 16, 5000


def draw(T: int, dtype=np.float32) -> tuple[np.ndarray, np.ndarray]:
    q, k = np.random.default_rng(0).normal(size=(2, 2, 3, T, D_K)).astype(dtype)  # (B, n_heads, T, d_k) each
    return q, k


def config(base: float) -> SimpleNamespace:
    parameters = {"rope_type": "default", "rope_theta": base}
    return SimpleNamespace(
        max_position_embeddings=LONG, rope_parameters=parameters, head_dim=D_K, standardize_rope_params=lambda: None
    )


def llama(q: np.ndarray, k: np.ndarray, positions: np.ndarray, base: float) -> list[np.ndarray]:
    """Llama's rotation: pairs (i, i + d_k / 2)."""
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    cos, sin = LlamaRotaryEmbedding(config(base))(torch.tensor(q), torch.tensor(positions)[None])
    return [turned.numpy() for turned in apply_rotary_pos_emb(torch.tensor(q), torch.tensor(k), cos, sin)]


def llama4(q: np.ndarray, k: np.ndarray, positions: np.ndarray, base: float) -> list[np.ndarray]:
    """Llama 4's rotation, as in the first Llama's own code: pairs (2i, 2i + 1), with complex numbers."""
    from transformers.models.llama4.modeling_llama4 import Llama4TextRotaryEmbedding, apply_rotary_emb

    phases = Llama4TextRotaryEmbedding(config(base))(torch.tensor(q), torch.tensor(positions)[None])
    turned = apply_rotary_emb(torch.tensor(q).transpose(1, 2), torch.tensor(k).transpose(1, 2), phases)
    return [each.transpose(1, 2).numpy() for each in turned]


@pytest.mark.parametrize("base", [10000.0, 500000.0])
@pytest.mark.parametrize(("peer", "layout"), [(llama, "half"), (llama4, "interleaved")])
def test_rotary_equal_to_llama(peer, layout: str, base: float) -> None:
    q, k = draw(11)
    positions = np.arange(11)
    for got, expected in zip((q, k), peer(q, k, positions, base), strict=True):
        turned = F.rotary_encoding(got, positions, base=base, layout=layout)
        assert turned.dtype == np.float32
        np.testing.assert_allclose(turned, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("T", "d_model"), [(7, 4), (512, 64)])
def test_sinusoidal_equal_to_roformer(T: int, d_model: int) -> None:
    from transformers.models.roformer.modeling_roformer import RoFormerSinusoidalPositionalEmbedding

    peer = RoFormerSinusoidalPositionalEmbedding(T, d_model).create_weight().numpy()  # sines, then cosines
    ours = F.sinusoidal_encoding(T, d_model).astype(np.float32)
    np.testing.assert_allclose(ours[:, ::2], peer[:, : d_model // 2], rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours[:, 1::2], peer[:, d_model // 2 :], rtol=0, atol=1e-6)
