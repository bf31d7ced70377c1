"""Masked tokens: as many as asked for, never special ones, and replaced in the proportions of the paper."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from clearformer.training import IGNORE_INDEX, mask_tokens
from tests.few import few

SPECIAL, MASK, VOCAB = (0, 1, 2, 3, 4), 4, 53


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def masked(ids: torch.Tensor, seed: int = 0, **options: float) -> tuple[torch.Tensor, torch.Tensor]:
    options = {"special_ids": SPECIAL, "mask_id": MASK, "generator": generator(seed)} | options
    return mask_tokens(ids, VOCAB, **options)


@few
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 40), min_size=1, max_size=5), st.floats(0.01, 1.0))
def test_each_row_has_its_number_and_no_special_token_is_chosen(seed: int, lengths: list[int], rate: float) -> None:
    drawn = [torch.randint(VOCAB, (length,), generator=generator(seed), dtype=torch.int32) for length in lengths]
    rows = [torch.cat([row, torch.tensor([7])]) for row in drawn]  # with at least one ordinary token
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=0)
    original, ordinary = ids.clone(), (ids >= 5).sum(dim=1)
    inputs, targets = masked(ids, seed, rate=rate)
    chosen = targets != IGNORE_INDEX
    assert torch.equal(ids, original) and inputs.dtype == targets.dtype == ids.dtype
    # As PyTorch computes it: in float32, and halves to the even number.
    assert chosen.sum(dim=1).tolist() == [max(1, int((rate * n).round())) for n in ordinary]
    assert torch.equal(targets[chosen], ids[chosen]) and (ids[chosen] >= 5).all()
    assert torch.equal(inputs[~chosen], ids[~chosen])
    assert set(inputs[chosen].tolist()) <= {MASK, *range(5, VOCAB)}


def test_proportions_are_80_10_10_and_positions_and_tokens_are_uniform() -> None:
    ids = torch.randint(5, VOCAB, (3000, 41), generator=generator(1))
    inputs, targets = masked(ids)
    chosen = targets != IGNORE_INDEX
    n = int(chosen.sum())
    assert n == 3000 * 6
    read, true = inputs[chosen], targets[chosen]
    mask, same = int((read == MASK).sum()), int((read == true).sum())
    expected = [0.8, 0.1 + 0.1 / 48, 0.1 * 47 / 48]  # a random token may be the original one
    assert stats.chisquare([mask, same, n - mask - same], [n * p for p in expected]).pvalue > 0.01
    assert stats.chisquare(chosen.sum(dim=0)).pvalue > 0.01
    other = read[(read != MASK) & (read != true)]
    assert stats.chisquare(other.bincount(minlength=VOCAB)[5:]).pvalue > 0.01


def test_one_generator_gives_new_masks_each_time_and_another_the_same_ones() -> None:
    ids, one = torch.arange(5, 45)[None], generator(3)
    first, second = (masked(ids, generator=one) for _ in range(2))
    assert all(map(torch.equal, first, masked(ids, seed=3)))
    assert not torch.equal(first[1], second[1])


@pytest.mark.parametrize(
    ("ids", "options", "words"),
    [
        ([[5, 6], [2, 3]], {}, "row 1 has no token that can be masked: all 2 are special"),
        ([5, 53], {}, "ids 5 to 53 must be between 0 and vocab_size - 1 = 52"),
        ([5], {"special_ids": (4, 99)}, "special_ids 4 to 99 must be between 0 and vocab_size - 1 = 52"),
        ([5], {"mask_id": 7}, r"mask_id=7 must be one of the special ids \[0, 1, 2, 3, 4\]"),
        ([5], {"rate": 0.0}, "rate=0.0 must be above 0 and at most 1"),
        ([5], {"mask_fraction": 0.9, "random_fraction": 0.2}, "mask_fraction=0.9 and random_fraction=0.2 must be"),
        ([[]], {}, r"ids must hold at least one token, got shape \(1, 0\)"),
    ],
)
def test_refusals(ids: list, options: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        masked(torch.tensor(ids).long(), **options)
