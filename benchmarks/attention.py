"""Streaming attention against PyTorch and the naive forms: OPENBLAS_NUM_THREADS=1 python -m benchmarks.attention.

The work is causal attention, forwards and backwards, of 8 heads of width 64 on 4096 tokens in float32. Everybody
gets two threads. PyTorch makes them itself; NumPy's products would, but its exponentials would not, so ours and the
naive NumPy form get half of the heads each on two threads of Python, with one thread for each matrix product.
"""

import math
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from benchmarks.harness import compare, peak_memory
from benchmarks.lines import Comparison, Quantity
from benchmarks.records import machine, machine_line, record
from clearformer import functional as F

N_HEADS, T, D = 8, 4096, 64
THREADS = 2
NOTE = (
    "Causal attention of 8 heads of width 64 on 4,096 tokens in float32, forwards and backwards, everybody on two "
    "threads. Memory is the peak beyond inputs and results."
)
Arrays = tuple[np.ndarray, ...]


def streaming(d_output: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Arrays:
    """Ours: output and gradients, block by block."""
    mask = F.causal_blocks(T)
    kept = F.streaming_attention_with_logsumexp(q, k, v, mask)
    return (kept[0], *F.streaming_attention_backward(d_output, q, k, v, mask, kept=kept))


def naive_numpy(d_output: np.ndarray, q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Arrays:
    """All scores at once, with the package's plain functions."""
    mask = F.causal_mask(T)
    output, _ = F.scaled_dot_product_attention(q, k, v, mask)
    return (output, *F.scaled_dot_product_attention_backward(d_output, q, k, v, mask))


def over_heads(pool: ThreadPoolExecutor, call: Callable[..., Arrays], arrays: Arrays) -> list[Arrays]:
    """Give each thread its share of the heads."""
    shares = zip(*(np.array_split(array, THREADS) for array in arrays), strict=True)
    return list(pool.map(lambda share: call(*share), shares))


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


def main() -> None:
    """See that all agree, then print every comparison as it is made, and write them."""
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        sys.exit("set OPENBLAS_NUM_THREADS=1: the threads are made over heads here, not inside each product")
    torch.set_num_threads(THREADS)
    facts = machine(["numpy", "torch"])
    print(machine_line(facts) + "\n")
    arrays: Arrays = tuple(np.random.default_rng(0).normal(size=(4, N_HEADS, T, D)).astype(np.float32))
    with ThreadPoolExecutor(THREADS) as pool:

        def ours() -> list[Arrays]:
            return over_heads(pool, streaming, arrays)

        def plain() -> list[Arrays]:
            return over_heads(pool, naive_numpy, arrays)

        expected = with_autograd(fused_torch, *arrays)
        for mine, theirs in zip(map(np.concatenate, zip(*ours(), strict=True)), expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-5)

        work = "causal attention, forwards and backwards"
        comparisons: list[Comparison] = []
        for peer, call, rounds, target in (
            ("PyTorch, fused", lambda: with_autograd(fused_torch, *arrays), 15, 1.0),
            ("PyTorch, naive, autograd", lambda: with_autograd(naive_torch, *arrays), 7, 4.0),
            ("NumPy, naive", plain, 3, None),
        ):
            comparisons.append(compare(work, peer, ours, call, rounds=rounds, target=target))
            print(comparisons[-1], flush=True)
        results = sum(array.nbytes for array in arrays)  # as large as output and gradients together
        extra = [round((peak_memory(call) - results) / 1e6, 1) for call in (ours, plain)]
    memory = Quantity(f"{work}, memory", extra[0], "MB", 40, peer="NumPy, naive", theirs=extra[1])
    print(memory)
    print(f"\nwritten to {record('attention', facts, NOTE, comparisons, [memory])}")


if __name__ == "__main__":
    main()
