"""What the tests of modules share: random numbers, small attention, its weights, and when tensors are equal."""

from typing import Any

import torch
from torch import Tensor

from clearformer import nn

RTOL = {torch.float32: 1e-5, torch.float64: 1e-10}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 1) -> Tensor:
    return torch.randn(shape, generator=generator(seed), dtype=torch.float64).to(dtype)


def with_numbers(module: torch.nn.Module) -> torch.nn.Module:
    """Every weight drawn anew, so that biases and gains count."""
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed, dtype=parameter.dtype) / 2
    return module


def attention(n_heads=3, n_kv_heads=None, d_model=6, dtype=torch.float64, seed=0, **options) -> nn.MultiHeadAttention:
    return nn.MultiHeadAttention(d_model, n_heads, n_kv_heads, generator=generator(seed), dtype=dtype, **options)


def projections(ours: nn.MultiHeadAttention) -> list[Tensor]:
    """The matrices of queries, keys and values."""
    kv = ours.n_kv_heads * ours.d_k
    return list(ours.w_qkv.split([ours.n_heads * ours.d_k, kv, kv], dim=1))


def weights_of(ours: nn.MultiHeadAttention, *inputs: Any, **options: Any) -> Tensor:
    return nn.attention_maps(ours, *inputs, **options)[""]


def close(got: Tensor, expected: Tensor) -> None:
    """Equal up to rounding, which is measured by the largest entry."""
    room = RTOL[expected.dtype] * expected.detach().abs().max().item()
    torch.testing.assert_close(got, expected, rtol=0, atol=room)


def gradients(of: list[Tensor], output: Tensor) -> tuple[Tensor, ...]:
    """The gradients of the output along a fixed random direction."""
    return torch.autograd.grad((output * draw(*output.shape, dtype=output.dtype, seed=9)).sum(), of)
