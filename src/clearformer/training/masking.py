"""Masked language modeling: replace some tokens of a text, and ask for the original ones."""

from collections.abc import Collection

import torch
from jaxtyping import Int
from torch import Tensor

IGNORE_INDEX = -100  # the target of a position that is not asked for


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
    For each chosen token the model reads either the mask, a random ordinary token, or the token itself.

    Args:
        ids: Token ids, (..., T).
        vocab_size: Number of tokens in the vocabulary.
        special_ids: Ids of the special tokens, including padding and the mask.
        mask_id: Id of the mask token.
        generator: The source of randomness; the same state gives the same masks.
        rate: Fraction of the ordinary tokens to predict.
        mask_fraction: Fraction of the chosen tokens that the mask replaces.
        random_fraction: Fraction of the chosen tokens that a random ordinary token replaces; the rest stays.

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
    numbers = torch.randint(len(ordinary), ids.shape, generator=generator, device=ids.device)
    random_ids = ordinary[numbers].to(ids.dtype)  # (..., T)
    inputs = torch.where(chosen & (u < mask_fraction + random_fraction), random_ids, ids)
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
