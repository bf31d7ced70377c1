"""Masked language modeling and span corruption: hide tokens of a text, and ask for them."""

from collections.abc import Collection, Sequence
from itertools import pairwise

import torch
from jaxtyping import Bool, Int
from torch import Tensor

IGNORE_INDEX = -100  # the target of a position that is not predicted


def mask_tokens(
    ids: Int[Tensor, "*batch T"],
    vocab_size: int,
    *,
    special_ids: Collection[int],
    mask_id: int,
    generator: torch.Generator,
    rate: float = 0.15,
    mask_fraction: float = 0.8,
    random_fraction: float = 0.1,
) -> tuple[Int[Tensor, "*batch T"], Int[Tensor, "*batch T"]]:
    """Choose tokens to predict, and replace most of them in the input.

    Of ``n`` ordinary tokens in a row, ``rate * n`` are chosen, rounded, but at least one; special tokens never are.
    For each chosen token the model reads the mask, with probability ``mask_fraction``, a random ordinary token, with
    probability ``random_fraction``, or the token itself. The same state of the generator gives the same masks.

    Returns:
        Inputs and targets, (..., T) each; the target is ``IGNORE_INDEX`` wherever nothing is to be predicted.

    Raises:
        ValueError: a row has no ordinary token, an id is outside the vocabulary, the mask is not special, or the
            fractions are not between 0 and 1.

    Source: Devlin et al. (2019), section 3.1 and appendix A.

    Example:
        >>> ids = torch.tensor([[2, 7, 5, 6, 5, 3], [2, 8, 3, 0, 0, 0]])
        >>> options = {"rate": 0.5, "mask_fraction": 1.0, "random_fraction": 0.0}
        >>> generator = torch.Generator().manual_seed(0)
        >>> inputs, targets = mask_tokens(ids, 9, special_ids=range(5), mask_id=4, generator=generator, **options)
        >>> (inputs == 4).sum(dim=1).tolist(), torch.equal(torch.where(inputs == 4, targets, ids), ids)
        ([2, 1], True)
    """
    if not 0 < rate <= 1:
        raise ValueError(f"rate={rate} must be above 0 and at most 1")
    if mask_fraction < 0 or random_fraction < 0 or mask_fraction + random_fraction > 1:
        raise ValueError(f"{mask_fraction=} and {random_fraction=} must be at least 0, and their sum at most 1")
    if not ids.numel():
        raise ValueError(f"ids must hold at least one token, got shape {tuple(ids.shape)}")
    for name, tokens in (("ids", ids), ("special_ids", torch.tensor(list(special_ids)))):
        low, high = (int(end) for end in tokens.aminmax())
        if low < 0 or high >= vocab_size:
            raise ValueError(f"{name} {low} to {high} must be between 0 and vocab_size - 1 = {vocab_size - 1}")
    if mask_id not in special_ids:
        raise ValueError(f"mask_id={mask_id} must be one of the special ids {sorted(special_ids)}")

    is_special = torch.zeros(vocab_size, dtype=torch.bool, device=ids.device)
    is_special[list(special_ids)] = True
    fixed = is_special[ids]  # (..., T)
    chosen = _choose(fixed, rate, generator)  # (..., T)
    u = torch.rand(ids.shape, generator=generator, device=ids.device)  # (..., T)
    ordinary = (~is_special).nonzero().squeeze(1)  # (n_ordinary,)
    n, device = len(ordinary), ids.device
    numbers = torch.randint(n, ids.shape, generator=generator, device=device)
    random_ids = ordinary[numbers].to(ids.dtype)  # (..., T)
    replaced = chosen & (u < mask_fraction + random_fraction)
    inputs = torch.where(replaced, random_ids, ids)
    inputs = inputs.masked_fill(chosen & (u < mask_fraction), mask_id)
    return inputs, ids.masked_fill(~chosen, IGNORE_INDEX)


def _choose(fixed: Tensor, rate: float, generator: torch.Generator) -> Tensor:
    """Choose exactly the same fraction of each row: the tokens with the smallest random numbers."""
    free = (~fixed).sum(dim=-1, keepdim=True)  # (..., 1)
    if not free.all():
        row = int((free.flatten() == 0).nonzero()[0])
        raise ValueError(f"row {row} has no token that can be masked: all {fixed.shape[-1]} are special")
    n = (rate * free).round().clamp(min=1)  # (..., 1)
    keys = torch.rand(fixed.shape, generator=generator, device=fixed.device).masked_fill(fixed, 2)  # (..., T)
    return keys.argsort(dim=-1).argsort(dim=-1) < n


def random_span_mask(
    n: int, *, rate: float = 0.15, mean_length: float = 3.0, generator: torch.Generator
) -> Bool[Tensor, " n"]:
    """Draw which tokens of a text to hide: an exact number of tokens in an exact number of separate spans.

    Of ``n`` tokens ``k = round(rate * n)`` are hidden, in ``m = max(1, round(k / mean_length))`` spans.
    All layouts of these spans are equally likely. If nothing would be hidden, or so much that the spans would touch,
    there is a ValueError.

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
    """Replace each span of hidden tokens by the next sentinel, and collect the spans, each after its sentinel.

    The inputs have a sentinel for each span, the targets one before each and one more at the end. If no token is
    hidden, or each one, and if there are too few sentinels, or the text contains one, there is a ValueError.

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
    mark = marks[begins.cumsum(0) - 1]  # (n,): the sentinel of the last span
    inputs = torch.where(begins, mark, ids)[begins | ~hidden]  # (S,)
    pairs = torch.stack([mark, ids], dim=1)  # (n, 2)
    written = torch.stack([begins, hidden], dim=1)  # (n, 2)
    return inputs, torch.cat([pairs[written], marks[m : m + 1]])


def restore_spans(inputs: Int[Tensor, " S"], targets: Int[Tensor, " T"], sentinels: Sequence[int]) -> Int[Tensor, " n"]:
    """Put spans back in the place of their sentinels: the inverse of ``corrupt_spans``.

    Whatever follows the final sentinel of the targets is ignored. Sentinels that are not the first ones in order, with
    one more at the end of the targets, are a ValueError.

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
    spans = {mark: targets[start + 1 : end] for mark, (start, end) in zip(read, pairwise(starts), strict=True)}
    return torch.cat([spans.get(token, inputs.new_tensor([token])) for token in inputs.tolist()])
