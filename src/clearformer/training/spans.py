"""Span corruption: tokens are hidden in runs, a sentinel stands for each run, and the runs are to be written."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def hidden_spans(
    n: int, *, share: float = 0.15, mean_length: float = 3.0, generator: torch.Generator
) -> Bool[Tensor, " n"]:
    """Draw which tokens of a text are hidden: an exact share, in an exact number of spans, none beside another.

    Of ``n`` tokens ``k = round(share * n)`` are hidden, in ``m = max(1, round(k / mean_length))`` spans.
    All ways to lay these spans are as likely.

    Args:
        n: Tokens of the text.
        share: Share of the tokens that is hidden.
        mean_length: Tokens of a span in the mean.
        generator: Where the places come from.

    Returns:
        True where a token is hidden, (n,).

    Raises:
        ValueError: nothing would be hidden, or so much that the spans would touch.

    Source: Raffel et al. (2020), sections 3.1.4 and 3.3.4, for the share and the mean length.

    Example:
        >>> hidden = hidden_spans(20, generator=torch.Generator().manual_seed(0))
        >>> "".join(".#"[h] for h in hidden.tolist())
        '..............###...'
    """
    k = round(share * n)
    if mean_length < 1 or k < 1:
        raise ValueError(f"share={share} of n={n} tokens hides {max(k, 0)}, in spans of mean_length={mean_length}")
    m, left = max(1, round(k / mean_length)), n - k
    if left < max(1, m - 1):
        raise ValueError(f"share={share} of n={n} tokens leaves {left}, too few to part {m} spans")
    cuts = torch.randperm(k - 1, generator=generator)[: m - 1].sort().values + 1  # where a span ends within the hidden
    lengths = torch.cat([cuts, torch.tensor([k])]).diff(prepend=torch.tensor([0]))  # (m,)
    before = torch.randperm(left + 1, generator=generator)[:m].sort().values  # tokens left before each span
    starts = before + lengths.cumsum(0) - lengths  # (m,)
    places = torch.arange(n)[:, None]
    return ((places >= starts) & (places < starts + lengths)).any(dim=1)


def hide_spans(
    ids: Int[Tensor, " n"], hidden: Bool[Tensor, " length"], sentinels: Sequence[int]
) -> tuple[Int[Tensor, " S"], Int[Tensor, " T"]]:
    """Put a sentinel in the place of each run of hidden tokens, and write the runs, each behind its sentinel.

    Args:
        ids: Tokens of a text, none of them a sentinel.
        hidden: True where a token is hidden.
        sentinels: Tokens that stand for spans, in their order.

    Returns:
        What is read, and what is to be written: a sentinel before each run, and one more at the end.

    Raises:
        ValueError: no token is hidden, or each one; there are too few sentinels, or the text has one.

    Source: Raffel et al. (2020), section 3.1.4 and figure 2.

    Example:
        >>> hidden = torch.tensor([0, 1, 1, 0, 1]).bool()
        >>> [part.tolist() for part in hide_spans(torch.tensor([5, 6, 7, 8, 9]), hidden, [90, 91, 92])]
        [[5, 90, 8, 91], [90, 6, 7, 91, 9, 92]]
    """
    if hidden.shape != ids.shape:
        raise ValueError(f"hidden {tuple(hidden.shape)} must have the shape of the ids {tuple(ids.shape)}")
    n_hidden = int(hidden.sum())
    if n_hidden in {0, len(ids)}:
        raise ValueError(f"{n_hidden} of {len(ids)} tokens are hidden: some must be, and some must be left to read")
    before = torch.cat([hidden.new_zeros(1), hidden[:-1]])  # (n,)
    begins = hidden & ~before  # (n,)
    m = int(begins.sum())
    if m + 1 > len(sentinels):
        raise ValueError(f"{m} spans need {m + 1} sentinels, one for the end, and there are {len(sentinels)}")
    marks = torch.tensor(sentinels)
    if (strange := ids[torch.isin(ids, marks)]).numel():
        raise ValueError(f"the text has the sentinels {strange.tolist()} already")
    mark = marks[begins.cumsum(0) - 1]  # (n,): of the span that began last
    inputs = torch.where(begins, mark, ids)[begins | ~hidden]  # (S,)
    pairs = torch.stack([mark, ids], dim=1)  # (n, 2)
    written = torch.stack([begins, hidden], dim=1)  # (n, 2)
    return inputs, torch.cat([pairs[written], marks[m : m + 1]])


def restore_spans(inputs: Int[Tensor, " S"], targets: Int[Tensor, " T"], sentinels: Sequence[int]) -> Int[Tensor, " n"]:
    """Put spans back where their sentinels stand: the inverse of ``hide_spans``.

    Args:
        inputs: What was read.
        targets: What was written; behind the sentinel that ends it nothing counts.
        sentinels: Tokens that stand for spans, in their order.

    Raises:
        ValueError: the sentinels of the two are not the first ones in order, with one more at the end.

    Example:
        >>> restore_spans(torch.tensor([5, 90, 8, 91]), torch.tensor([90, 6, 7, 91, 9, 92]), [90, 91, 92]).tolist()
        [5, 6, 7, 8, 9]
    """
    marks = torch.tensor(sentinels)
    read, written = (part[torch.isin(part, marks)].tolist() for part in (inputs, targets))
    m = len(read)
    if m + 1 > len(sentinels) or read != list(sentinels[:m]) or written[: m + 1] != list(sentinels[: m + 1]):
        raise ValueError(f"sentinels {read} were read and {written} written, of {list(sentinels)}, of which one ends")
    places = [int((targets == mark).nonzero()[0]) for mark in sentinels[: m + 1]]
    if places[0]:
        raise ValueError(f"{places[0]} tokens are written before the first sentinel")
    parts = []
    for token in inputs.tolist():
        number = sentinels.index(token) if token in sentinels else None
        parts.append(inputs.new_tensor([token]) if number is None else targets[places[number] + 1 : places[number + 1]])
    return torch.cat(parts)
