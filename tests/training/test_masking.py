"""Hidden tokens: as many as asked for, never special ones, and replaced in the shares of the paper."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from clearformer.training import IGNORED, cross_entropy, hide
from tests.few import few

SPECIAL, MASK, VOCAB = (0, 1, 2, 3, 4), 4, 53
seeds = st.integers(0, 2**32 - 1)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def hidden(ids: torch.Tensor, seed: int = 0, **shares: float) -> tuple[torch.Tensor, torch.Tensor]:
    return hide(ids, VOCAB, special=SPECIAL, mask=MASK, generator=generator(seed), **shares)


def test_by_hand_where_there_is_no_choice() -> None:
    ids = torch.tensor([[2, 7, 3, 0], [2, 8, 9, 3]])
    inputs, targets = hidden(ids, share=1.0, covered=1.0, replaced=0.0)
    assert inputs.tolist() == [[2, 4, 3, 0], [2, 4, 4, 3]]
    assert targets.tolist() == [[IGNORED, 7, IGNORED, IGNORED], [IGNORED, 8, 9, IGNORED]]


@few
@given(seeds, st.lists(st.integers(1, 40), min_size=1, max_size=5), st.floats(0.01, 1.0))
def test_each_row_has_its_number_and_no_special_token_is_chosen(seed: int, lengths: list[int], share: float) -> None:
    drawn = [torch.randint(VOCAB, (length,), generator=generator(seed)) for length in lengths]
    rows = [torch.cat([row, torch.tensor([7])]) for row in drawn]  # special ones among them, and an ordinary one
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=0)
    ids = torch.cat([torch.full((len(ids), 1), 2), ids], dim=1)
    ordinary = (ids >= 5).sum(dim=1)
    inputs, targets = hidden(ids, seed, share=share)
    asked = targets != IGNORED
    # As PyTorch computes it: in float32, and halves to the even number.
    assert asked.sum(dim=1).tolist() == [max(1, int((share * n).round())) for n in ordinary]
    assert torch.equal(targets[asked], ids[asked]) and (ids[asked] >= 5).all()
    assert torch.equal(inputs[~asked], ids[~asked])
    assert set(inputs[asked].tolist()) <= {MASK, *range(5, VOCAB)}


def test_the_shares_are_80_10_10_and_positions_and_tokens_come_evenly() -> None:
    ids = torch.randint(5, VOCAB, (3000, 41), generator=generator(1))
    inputs, targets = hidden(ids)
    asked = targets != IGNORED
    n = int(asked.sum())
    assert n == 3000 * 6
    put, true = inputs[asked], targets[asked]
    mask, same = int((put == MASK).sum()), int((put == true).sum())
    # A token that is drawn may be the one that stood there.
    expected = [0.8, 0.1 + 0.1 / 48, 0.1 * 47 / 48]
    assert stats.chisquare([mask, same, n - mask - same], [n * p for p in expected]).pvalue > 0.01
    assert stats.chisquare(asked.sum(dim=0)).pvalue > 0.01
    other = put[(put != MASK) & (put != true)]
    assert stats.chisquare(other.bincount(minlength=VOCAB)[5:]).pvalue > 0.01


def test_the_same_generator_gives_the_same_masks_and_goes_on_to_others() -> None:
    ids, one, again = torch.arange(5, 45)[None], generator(3), generator(3)
    first, second = (hide(ids, VOCAB, special=SPECIAL, mask=MASK, generator=one) for _ in range(2))
    same = hide(ids, VOCAB, special=SPECIAL, mask=MASK, generator=again)
    assert torch.equal(first[0], same[0]) and torch.equal(first[1], same[1])
    assert not torch.equal(first[1], second[1])  # masks that differ by epoch are one generator that goes on


def test_the_ids_are_not_changed_and_keep_their_kind() -> None:
    ids = torch.arange(5, 45, dtype=torch.int32)
    kept = ids.clone()
    inputs, targets = hidden(ids)
    assert torch.equal(ids, kept)
    assert inputs.dtype == targets.dtype == torch.int32


def test_the_loss_leaves_out_what_is_not_asked_for() -> None:
    ids = torch.arange(5, 45)
    _, targets = hidden(ids)
    logits = torch.zeros(40, VOCAB)
    logits[targets == IGNORED] = torch.randn(VOCAB, generator=generator())
    loss = cross_entropy(logits, targets, ignore=IGNORED)
    assert loss.item() == pytest.approx(torch.tensor(float(VOCAB)).log().item(), abs=1e-5)


@pytest.mark.parametrize(
    ("ids", "changes", "words"),
    [
        ([[5, 6], [2, 3]], {}, "row 1 has no token that can be hidden: all 2 of it are special"),
        ([5, 53], {}, "ids 5 to 53 must lie between 0 and vocab_size - 1 = 52"),
        ([-1, 5], {}, "ids -1 to 5 must lie between 0"),
        ([5], {"special": (4, 99)}, "special ids 4 to 99 must lie between 0 and vocab_size - 1 = 52"),
        ([5], {"mask": 7}, r"mask=7 must be one of the special ids \[0, 1, 2, 3, 4\]"),
        ([5], {"share": 0.0}, "share=0.0 must be above 0 and at most 1"),
        ([5], {"share": 1.1}, "share=1.1 must be above 0 and at most 1"),
        ([5], {"covered": 0.9, "replaced": 0.2}, "covered=0.9 and replaced=0.2 must be shares of one whole"),
        ([5], {"replaced": -0.1}, "covered=0.8 and replaced=-0.1 must be shares of one whole"),
        ([[]], {}, r"ids must hold a token at least, got shape \(1, 0\)"),
    ],
)
def test_refusals(ids: list, changes: dict, words: str) -> None:
    options = {"special": SPECIAL, "mask": MASK, "generator": generator()} | changes
    with pytest.raises(ValueError, match=words):
        hide(torch.tensor(ids).long(), VOCAB, **options)
