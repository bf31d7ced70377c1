"""Streaming attention against PyTorch and the naive forms: OPENBLAS_NUM_THREADS=1 python -m benchmarks.attention.

Everybody gets two threads. PyTorch makes them itself; NumPy's products would, but its exponentials would not, so the
NumPy forms get half of the heads each on two threads of Python, with one thread for each matrix product.
"""

import math
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from benchmarks.harness import THREADS, Line, compare, main, peak_memory, quantity
from clearformer import functional as F

N_HEADS, T, D = 8, 4096, 64
NOTE = (
    "Causal attention of 8 heads of width 64 on 4,096 tokens in float32, forward and backward, everybody on two "
    "threads. Memory is the peak beyond inputs and results."
)
Arrays = tuple[np.ndarray, ...]


def streaming(d_output: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Arrays:
    """Output and gradients, block by block."""
    mask = F.causal_blocks(T)
    kept = F.streaming_attention_with_logsumexp(q, k, v, mask)
    return (kept[0], *F.streaming_attention_backward(d_output, q, k, v, mask, kept=kept))


def naive_numpy(d_output: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Arrays:
    """Output and gradients with all scores at once."""
    mask = F.causal_mask(T)
    output, _ = F.scaled_dot_product_attention(q, k, v, mask)
    return (output, *F.scaled_dot_product_attention_backward(d_output, q, k, v, mask))


def naive_torch(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """All scores at once, as the formula is usually written."""
    hidden = torch.triu(torch.full((T, T), -math.inf), diagonal=1)
    return torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(D) + hidden, dim=-1) @ v


def fused_torch(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """PyTorch's own blocks."""
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def with_autograd(attend: Callable[..., torch.Tensor], d_output: np.ndarray, *qkv: np.ndarray) -> Arrays:
    """Output and gradients by PyTorch; its fused form asks for a batch axis."""
    tensors = [torch.from_numpy(array[None]).requires_grad_() for array in qkv]
    output = attend(*tensors)
    output.backward(torch.from_numpy(d_output[None]))
    return (output.detach().numpy()[0], *(tensor.grad.numpy()[0] for tensor in tensors))


def attention() -> Iterator[Line]:
    """Streaming attention against three others, after all agree."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        sys.exit("set OPENBLAS_NUM_THREADS=1: the threads are made over heads here, not inside each product")
    torch.set_num_threads(THREADS)
    arrays: Arrays = tuple(np.random.default_rng(0).normal(size=(4, N_HEADS, T, D)).astype(np.float32))
    halves = list(zip(*(np.array_split(array, THREADS) for array in arrays), strict=True))
    with ThreadPoolExecutor(THREADS) as pool:

        def ours() -> list[Arrays]:
            return list(pool.map(lambda half: streaming(*half), halves))

        def plain() -> list[Arrays]:
            return list(pool.map(lambda half: naive_numpy(*half), halves))

        expected = with_autograd(fused_torch, *arrays)
        for mine, theirs in zip(map(np.concatenate, zip(*ours(), strict=True)), expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)
        work = "causal attention, forward and backward"
        yield compare(work, "PyTorch, fused", ours, lambda: with_autograd(fused_torch, *arrays), rounds=9)
        yield compare(work, "PyTorch, naive", ours, lambda: with_autograd(naive_torch, *arrays), rounds=5)
        yield compare(work, "NumPy, naive", ours, plain, rounds=3)
        results = sum(array.nbytes for array in arrays)  # as large as output and gradients together
        extra, naive = ((peak_memory(call) - results) / 1e6 for call in (ours, plain))
    yield quantity("causal attention, memory", extra, "MB", peer="NumPy, naive", theirs=round(naive, 1))


if __name__ == "__main__":
    main("attention", {"attention": attention}, ["numpy", "torch"], NOTE)
