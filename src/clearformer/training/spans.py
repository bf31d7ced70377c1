"""Span corruption: each span of hidden tokens is replaced by a sentinel, and the model writes the spans."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor


def random_span_mask(
    n: int, *, rate: float = 0.15, mean_length: float = 3.0, generator: torch.Generator
) -> Bool[Tensor, " n"]:
    """Draw which tokens of a text to hide: an exact number of tokens in an exact number of separate spans.

    Of ``n`` tokens ``k = round(rate * n)`` are hidden, in ``m = max(1, round(k / mean_length))`` spans.
    All layouts of these spans are equally likely.

    Args:
        n: Number of tokens in the text.
        rate: Fraction of the tokens to hide.
        mean_length: Mean number of tokens in a span.
        generator: The source of randomness.

    Returns:
        True where a token is hidden, (n,).

    Raises:
        ValueError: nothing would be hidden, or so much that the spans would touch.

    Source: Raffel et al. (2020), sections 3.1.4 and 3.3.4, for the rate and the mean length.

    Example:
        >>> hidden = random_span_mask(20, generator=torch.Generator().manual_seed(0))
        >>> "".join(".#"[h] for h in hidden.tolist())
        '..............###...'
    """
    k = round(rate * n)
    if mean_length < 1 or k < 1:
        raise ValueError(f"rate={rate} of n={n} tokens hides {max(k, 0)}, in spans of mean_length={mean_length}")
    m, left = max(1, round(k / mean_length)), n - k
    if left < max(1, m - 1):
        raise ValueError(f"rate={rate} of n={n} tokens leaves {left}, too few to separate {m} spans")
    cuts = torch.randperm(k - 1, generator=generator)[: m - 1].sort().values + 1  # ends of spans among the hidden
    lengths = torch.cat([cuts, torch.tensor([k])]).diff(prepend=torch.tensor([0]))  # (m,)
    before = torch.randperm(left + 1, generator=generator)[:m].sort().values  # visible tokens before each span
    starts = before + lengths.cumsum(0) - lengths  # (m,)
    positions = torch.arange(n)[:, None]
    return ((positions >= starts) & (positions < starts + lengths)).any(dim=1)


def corrupt_spans(
    ids: Int[Tensor, " n"], hidden: Bool[Tensor, " length"], sentinels: Sequence[int]
) -> tuple[Int[Tensor, " S"], Int[Tensor, " T"]]:
    """Replace each span of hidden tokens by a sentinel, and collect the spans, each after its sentinel.

    Args:
        ids: Tokens of a text, none of them a sentinel.
        hidden: True where a token is hidden.
        sentinels: Tokens that replace spans, in order.

    Returns:
        Inputs with sentinels, and targets: a sentinel before each span, and one more at the end.

    Raises:
        ValueError: no token is hidden, or each one; there are too few sentinels, or the text contains one.

    Source: Raffel et al. (2020), section 3.1.4 and figure 2.

    Example:
        >>> hidden = torch.tensor([0, 1, 1, 0, 1]).bool()
        >>> [part.tolist() for part in corrupt_spans(torch.tensor([5, 6, 7, 8, 9]), hidden, [90, 91, 92])]
        [[5, 90, 8, 91], [90, 6, 7, 91, 9, 92]]
    """
    if hidden.shape != ids.shape:
        raise ValueError(f"hidden {tuple(hidden.shape)} must have the shape of the ids {tuple(ids.shape)}")
    if (n_hidden := int(hidden.sum())) in {0, len(ids)}:
        raise ValueError(f"{n_hidden} of {len(ids)} tokens are hidden: some must be hidden, and some visible")
    begins = hidden & ~torch.cat([hidden.new_zeros(1), hidden[:-1]])  # (n,)
    m = int(begins.sum())
    if m + 1 > len(sentinels):
        raise ValueError(f"{m} spans need {m + 1} sentinels, one for the end, and there are {len(sentinels)}")
    marks = torch.tensor(sentinels)
    if (found := ids[torch.isin(ids, marks)]).numel():
        raise ValueError(f"the text already contains the sentinels {found.tolist()}")
    mark = marks[begins.cumsum(0) - 1]  # (n,): the sentinel of the last span that began
    inputs = torch.where(begins, mark, ids)[begins | ~hidden]  # (S,)
    pairs = torch.stack([mark, ids], dim=1)  # (n, 2)
    written = torch.stack([begins, hidden], dim=1)  # (n, 2)
    return inputs, torch.cat([pairs[written], marks[m : m + 1]])


def restore_spans(inputs: Int[Tensor, " S"], targets: Int[Tensor, " T"], sentinels: Sequence[int]) -> Int[Tensor, " n"]:
    """Put spans back in the place of their sentinels: the inverse of ``corrupt_spans``.

    Args:
        inputs: Tokens with sentinels.
        targets: The spans, each after its sentinel; whatever follows the final sentinel is ignored.
        sentinels: Tokens that replace spans, in order.

    Raises:
        ValueError: the sentinels are not the first ones in order, with one more at the end of the targets.

    Example:
        >>> restore_spans(torch.tensor([5, 90, 8, 91]), torch.tensor([90, 6, 7, 91, 9, 92]), [90, 91, 92]).tolist()
        [5, 6, 7, 8, 9]
    """
    marks = torch.tensor(sentinels)
    read, written = (part[torch.isin(part, marks)].tolist() for part in (inputs, targets))
    m = len(read)
    if m + 1 > len(sentinels) or read != list(sentinels[:m]) or written[: m + 1] != list(sentinels[: m + 1]):
        raise ValueError(f"inputs have the sentinels {read} and targets {written}, of {list(sentinels)} in order")
    starts = [int((targets == mark).nonzero()[0]) for mark in sentinels[: m + 1]]
    if starts[0]:
        raise ValueError(f"there are {starts[0]} target tokens before the first sentinel")
    parts = []
    for token in inputs.tolist():
        number = sentinels.index(token) if token in sentinels else None
        parts.append(inputs.new_tensor([token]) if number is None else targets[starts[number] + 1 : starts[number + 1]])
    return torch.cat(parts)
