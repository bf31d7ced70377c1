"""Batches: random windows of a text, drawn with a generator."""

from collections.abc import Callable

import torch
from jaxtyping import Int
from torch import Tensor

Batch = tuple[Tensor, ...]
Batches = Callable[[torch.Generator], Batch]


def token_windows(
    ids: Int[Tensor, " n"], *, batch: int, length: int
) -> Callable[[torch.Generator], tuple[Tensor, Tensor]]:
    """Return a function that draws random windows of a text, with the same windows one token later as targets.

    Args:
        ids: The tokens of the text.
        batch: Number of windows.
        length: Number of tokens in each.

    Returns:
        A function from a generator to inputs and targets, (batch, length) each.

    Raises:
        ValueError: the text is too short for a window and its targets.

    Example:
        >>> inputs, targets = token_windows(torch.arange(9), batch=2, length=3)(torch.Generator().manual_seed(0))
        >>> torch.equal(inputs + 1, targets), inputs.shape
        (True, torch.Size([2, 3]))
    """
    if batch < 1 or length < 1 or len(ids) <= length:
        raise ValueError(f"batch={batch} windows of length={length} need more than {length} tokens, got {len(ids)}")
    offsets = torch.arange(length + 1)  # (length + 1,)

    def draw(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        starts = torch.randint(len(ids) - length, (batch, 1), generator=generator)  # (batch, 1)
        windows = ids[starts + offsets]  # (batch, length + 1)
        return windows[:, :-1], windows[:, 1:]

    return draw
