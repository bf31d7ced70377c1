"""Decoding by chance: the next token is drawn from the processed distribution."""

from collections.abc import Collection

import torch
from torch import Tensor

from clearformer.decoding.processors import Processor
from clearformer.decoding.streaming import Choice, NextLogits, Prompts, collect, processed, stream


def drawn(*, generator: torch.Generator, process: Processor | None = None) -> Choice:
    """Give the choice that draws each token with the probability its logit gives it.

    One uniform number decides each token, through the inverse of the distribution function: several times
    faster than ``torch.multinomial``, which draws a number for every token of the vocabulary.

    Args:
        generator: Where chance comes from, on the device of the logits.
        process: Changes the logits first, such as ``pipeline(tau=0.7, p=0.9)``; nothing when left out.

    Returns:
        A choice for ``stream``.

    Example:
        >>> choose = drawn(generator=torch.Generator().manual_seed(0))
        >>> choose(torch.tensor([[0.0, -torch.inf]] * 3), torch.zeros(3, 1, dtype=torch.int64))
        tensor([0, 0, 0])
    """

    def choose(logits: Tensor, ids: Tensor) -> Tensor:
        logits = processed(process, logits, ids)
        # Lay the probabilities end to end on a line, throw one dart for each row, and see in whose part it stuck.
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
    process: Processor | None = None,
    stop_ids: Collection[int] = (),
) -> list[list[int]]:
    """Continue each prompt by drawing token after token.

    Args:
        next_logits: Takes the tokens so far, int64 (B, T), and gives the logits of the next one, (B, vocab_size).
        prompts: Token ids of each row: B sequences, of any lengths, or a tensor (B, T).
        max_new_tokens: How many tokens each row gets at most.
        generator: Where chance comes from. Rows share it, so what a row draws depends on the others beside it.
        process: Changes the logits before each draw, such as ``pipeline(tau=0.7, p=0.9)``.
        stop_ids: Tokens that end a row.

    Returns:
        The new tokens of each prompt, without the prompt, with the stop token if one came.

    Raises:
        TypeError: as ``stream`` does.
        ValueError: as ``stream`` does, or ``process`` leaves a row no token.

    Example:
        >>> def fair(ids):
        ...     return torch.zeros(len(ids), 2)
        >>> tokens = sample(fair, [[0], [0, 1]], 4, generator=torch.Generator().manual_seed(0))
        >>> [len(row) for row in tokens]
        [4, 4]
    """
    choose = drawn(generator=generator, process=process)
    return collect(stream(next_logits, prompts, max_new_tokens, choose=choose, stop_ids=stop_ids))
