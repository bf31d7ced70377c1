"""Sampling: the next token is drawn from the processed distribution."""

from collections.abc import Collection

import torch
from torch import Tensor

from clearformer.decoding.processors import Processor
from clearformer.decoding.streaming import NextLogits, Prompts, Sampler, collect, processed, stream


def sampler(*, generator: torch.Generator, processor: Processor | None = None) -> Sampler:
    """Return a sampler for ``stream`` that draws each token with its probability, the softmax of the logits.

    One uniform number per token goes through the inverse of the cumulative distribution function. This is several
    times faster than ``torch.multinomial``, which draws a number for every token of the vocabulary. The ``generator``
    is on the device of the logits; a ``processor`` such as ``pipeline(tau=0.7, p=0.9)`` changes the logits first.

    Example:
        >>> choose = sampler(generator=torch.Generator().manual_seed(0))
        >>> choose(torch.tensor([[0.0, -torch.inf]] * 3), torch.zeros(3, 1, dtype=torch.int64))
        tensor([0, 0, 0])
    """

    def choose(logits: Tensor, ids: Tensor) -> Tensor:
        logits = processed(processor, logits, ids)
        # Lay the probabilities end to end on a line, throw one dart for each row, and see which part it hits.
        p = logits.softmax(dim=-1)  # (B, vocab_size)
        ends = p.cumsum(dim=-1, dtype=torch.float64)
        total = ends[:, -1:]  # (B, 1)
        u = torch.rand_like(total, generator=generator)  # (B, 1), in [0, 1)
        # A dart in [0, total) hits no part of length 0, and none beyond the last.
        return torch.searchsorted(ends, u * total, right=True)[:, 0]  # (B,)

    return choose


def sample(
    next_logits: NextLogits,
    prompts: Prompts,
    max_new_tokens: int,
    *,
    generator: torch.Generator,
    processor: Processor | None = None,
    stop_ids: Collection[int] = (),
) -> list[list[int]]:
    """Continue each prompt by sampling token after token, and return the new tokens of each.

    Arguments and errors are those of ``greedy_search`` and ``sampler``. Rows share the ``generator``, so the tokens of
    a row depend on the rows beside it.

    Example:
        >>> def fair(ids):
        ...     return torch.zeros(len(ids), 2)
        >>> tokens = sample(fair, [[0], [0, 1]], 4, generator=torch.Generator().manual_seed(0))
        >>> [len(row) for row in tokens]
        [4, 4]
    """
    choose = sampler(generator=generator, processor=processor)
    return collect(stream(next_logits, prompts, max_new_tokens, sampler=choose, stop_ids=stop_ids))
