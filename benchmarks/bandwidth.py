"""A step of generation in NumPy against the memory's bandwidth: python -m benchmarks.bandwidth.

A step reads every weight once. The yardstick is one product with a matrix of all their bytes, on two threads.
"""

import sys
import timeit
from functools import partial

import numpy as np
import torch

from benchmarks.harness import afresh, print_for_parent
from benchmarks.lines import Quantity
from benchmarks.records import machine, machine_line, record
from benchmarks.sizes import GPT2_SMALL
from clearformer import functional as F
from clearformer.models import GPT2Config, gpt2

NOTE = (
    "The weights have the size of GPT-2 small and are random, and the prompt has 16 tokens; two threads. "
    "Of several rounds the fastest counts."
)
PROMPT = 16


def shares(config: GPT2Config, n: int = 16, rounds: int = 8) -> list[Quantity]:
    """Bytes a second that memory gives to a product with one large matrix, and the shares that steps in NumPy reach.

    One step has its matrices laid out for reading, the other as they come from PyTorch.
    """
    model = gpt2(config, torch.Generator().manual_seed(0))
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    read = sum(array.nbytes for name, array in weights.items() if name != "embedding.position.table")
    matrix, vector = np.ones((read // 4096, 1024), np.float32), np.ones(1024, np.float32)
    calls = [partial(np.matmul, matrix, vector)]
    for arranged in (F.lay_out(weights), weights):
        step = partial(F.decoder, arranged, n_heads=config.n_heads, activation=F.gelu_tanh)
        _, caches = step(np.arange(PROMPT))
        calls.append(partial(step, np.array([1]), caches))
    fetch, one, other = np.min([[timeit.timeit(call, number=n) / n for call in calls] for _ in range(rounds)], axis=0)
    share, unarranged = round(100 * fetch / one, 1), round(100 * fetch / other, 1)
    return [
        Quantity("bandwidth of one product, NumPy", round(read / fetch / 1e9, 1), "GB a second"),
        Quantity("share of it that a step of GPT-2 small reaches, NumPy", share, "%", 70, "least"),
        Quantity("share with matrices as PyTorch stores them, NumPy", unarranged, "%"),
    ]


def main() -> None:
    """Measure in a process of its own, whose threads NumPy counts when it is imported; then print and write."""
    if len(sys.argv) > 1:
        print_for_parent(shares(GPT2_SMALL))
        return
    facts = machine(["numpy"])
    print(machine_line(facts))
    quantities = [Quantity(**line) for line in afresh("benchmarks.bandwidth", "shares")]
    print(*quantities, sep="\n")
    print(f"\nwritten to {record('bandwidth', facts, NOTE, quantities=quantities)}")


if __name__ == "__main__":
    main()
