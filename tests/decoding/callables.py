"""Callables to decode from: exact in every row, so that what holds in theory holds to the last bit."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def hashed(vocab_size: int, *, seed: int = 0, masked: float = 0.0) -> Callable[[Tensor], Tensor]:
    """Logits that depend on every token and its place, through a table of random rows."""
    generator = torch.Generator().manual_seed(seed)
    table = 2 * torch.randn(997, vocab_size, generator=generator, dtype=torch.float64)
    hidden = torch.rand(table.shape, generator=generator) < masked
    hidden[:, 0] = False
    table = table.masked_fill(hidden, -torch.inf)

    def next_logits(ids: Tensor) -> Tensor:
        places = torch.arange(1, ids.shape[1] + 1)
        return table[((ids + 1) * places**2).sum(dim=1) % len(table)]

    return next_logits


def tree(branches: dict[tuple[int, ...], Sequence[float]], start: int = 1) -> Callable[[Tensor], Tensor]:
    """The probabilities that stand in a tree for the tokens after the first ``start``."""

    def next_logits(ids: Tensor) -> Tensor:
        return torch.tensor([branches[tuple(row[start:])] for row in ids.tolist()], dtype=torch.float64).log()

    return next_logits


class Remembering:
    """A callable with a memory of each row, which fails if it is not told where the rows went."""

    def __init__(self, next_logits: Callable[[Tensor], Tensor]) -> None:
        self.next_logits = next_logits
        self.memory: Tensor | None = None

    def __call__(self, ids: Tensor) -> Tensor:
        if self.memory is not None:
            assert torch.equal(ids[:, :-1], self.memory)
        self.memory = ids.clone()
        return self.next_logits(ids)

    def reorder_cache(self, rows: Tensor) -> None:
        self.memory = self.memory[rows]
