"""Masked-language modelling: hide some tokens of a text, and ask for them."""

from collections.abc import Collection

import torch
from jaxtyping import Int
from torch import Tensor

IGNORED = -100  # the target of a position that is not asked for


def hide(
    ids: Int[Tensor, "*batch T"],
    vocab_size: int,
    *,
    special: Collection[int],
    mask: int,
    generator: torch.Generator,
    share: float = 0.15,
    covered: float = 0.8,
    replaced: float = 0.1,
) -> tuple[Int[Tensor, "*batch T"], Int[Tensor, "*batch T"]]:
    """Choose tokens to ask for, and hide most of them from the model.

    Of ``n`` ordinary tokens in a row, ``share * n`` are chosen, rounded, and one at least; no special token ever is.
    What the model reads in the place of each is drawn by itself: the mask, any ordinary token, or the token as it is.

    Args:
        ids: Token ids, (..., T).
        vocab_size: Number of tokens.
        special: Ids of the special tokens, those of padding and of the mask among them.
        mask: The id that stands for a hidden token.
        generator: What is chosen and put in; the same state gives the same masks.
        share: Share of the ordinary tokens that is asked for.
        covered: Share of the chosen ones that the mask covers.
        replaced: Share of the chosen ones that an ordinary token replaces, drawn evenly; the rest stays.

    Returns:
        Inputs and targets, (..., T) each; a target is ``IGNORED`` where nothing is asked for.

    Raises:
        ValueError: a row has no ordinary token, an id is not in the vocabulary, the mask is not special, or the
            shares are none.

    Source: Devlin et al. (2019), section 3.1 and appendix A.

    Example:
        >>> ids = torch.tensor([[2, 7, 5, 6, 5, 3], [2, 8, 3, 0, 0, 0]])
        >>> shares = {"share": 0.5, "covered": 1.0, "replaced": 0.0}
        >>> generator = torch.Generator().manual_seed(0)
        >>> inputs, targets = hide(ids, 9, special=range(5), mask=4, generator=generator, **shares)
        >>> (inputs == 4).sum(dim=1).tolist(), torch.equal(torch.where(inputs == 4, targets, ids), ids)
        ([2, 1], True)
    """
    _require_shares(share, covered, replaced)
    _require_tokens(ids, vocab_size, special, mask)
    is_special = torch.zeros(vocab_size, dtype=torch.bool, device=ids.device)
    is_special[list(special)] = True
    fixed = is_special[ids]  # (..., T)
    chosen = _chosen(fixed, share, generator)  # (..., T)
    shape, device = ids.shape, ids.device
    drawn = torch.rand(shape, generator=generator, device=device)  # (..., T)
    ordinary = (~is_special).nonzero().squeeze(1)  # (n_ordinary,)
    n = len(ordinary)
    numbers = torch.randint(n, shape, generator=generator, device=device)
    other = ordinary[numbers]  # (..., T)
    replace = chosen & (drawn < covered + replaced)  # (..., T)
    inputs = torch.where(replace, other.to(ids.dtype), ids)
    inputs = inputs.masked_fill(chosen & (drawn < covered), mask)
    return inputs, ids.masked_fill(~chosen, IGNORED)


def _chosen(fixed: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Draw the same share of each row, exactly: the tokens with the smallest of random numbers."""
    free = (~fixed).sum(dim=-1, keepdim=True)  # (..., 1)
    if not free.all():
        row = int((free.flatten() == 0).nonzero()[0])
        raise ValueError(f"row {row} has no token that can be hidden: all {fixed.shape[-1]} of it are special")
    n = (share * free).round().clamp(min=1)  # (..., 1)
    keys = torch.rand(fixed.shape, generator=generator, device=fixed.device).masked_fill(fixed, 2)  # (..., T)
    return keys.argsort(dim=-1).argsort(dim=-1) < n


def _require_shares(share: float, covered: float, replaced: float) -> None:
    if not 0 < share <= 1:
        raise ValueError(f"share={share} must be above 0 and at most 1")
    if covered < 0 or replaced < 0 or covered + replaced > 1:
        raise ValueError(f"covered={covered} and replaced={replaced} must be shares of one whole")


def _require_tokens(ids: Tensor, vocab_size: int, special: Collection[int], mask: int) -> None:
    if not ids.numel():
        raise ValueError(f"ids must hold a token at least, got shape {tuple(ids.shape)}")
    for name, lowest, highest in (
        ("ids", int(ids.min()), int(ids.max())),
        ("special ids", min(special, default=0), max(special, default=0)),
    ):
        if lowest < 0 or highest >= vocab_size:
            raise ValueError(f"{name} {lowest} to {highest} must lie between 0 and vocab_size - 1 = {vocab_size - 1}")
    if mask not in special:
        raise ValueError(f"mask={mask} must be one of the special ids {sorted(special)}")
