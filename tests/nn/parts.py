"""What the tests of modules share: random numbers, small attention, the ways to call it, and when tensors are equal."""

import torch

from clearformer import nn

RTOL = {torch.float32: 1e-5, torch.float64: 1e-10}

# Every way to attend from x to x itself; each takes mask and position bias.
PATHS = {
    "forward": lambda attention, x, **given: attention(x, **given),
    "to a source": lambda attention, x, **given: attention(x, x, **given),
    "with_weights": lambda attention, x, **given: attention.with_weights(x, **given)[0],
    "extend": lambda attention, x, **given: attention.extend(x, **given)[0],
    "attend": lambda attention, x, **given: attention.attend(x, attention.keys_values(x), **given),
}


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 1) -> torch.Tensor:
    return torch.randn(shape, generator=generator(seed), dtype=torch.float64).to(dtype)


def with_numbers(module: torch.nn.Module) -> torch.nn.Module:
    """Every weight drawn anew, so that biases and gains count."""
    for seed, parameter in enumerate(module.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed, dtype=parameter.dtype) / 2
    return module


def attention(n_heads=3, n_kv_heads=None, d_model=6, dtype=torch.float64, seed=0, **options) -> nn.MultiHeadAttention:
    return nn.MultiHeadAttention(d_model, n_heads, n_kv_heads, generator=generator(seed), dtype=dtype, **options)


def close(got: torch.Tensor, expected: torch.Tensor) -> None:
    """Equal up to rounding, which is measured by the largest entry."""
    room = RTOL[expected.dtype] * expected.detach().abs().max().item()
    torch.testing.assert_close(got, expected, rtol=0, atol=room)


def gradients(of: list[torch.Tensor], output: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Give the gradients of the output along a fixed random direction."""
    return torch.autograd.grad((output * draw(*output.shape, dtype=output.dtype, seed=9)).sum(), of)
