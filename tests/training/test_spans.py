"""Span corruption: exact numbers of tokens and spans, the inverse, and refusals."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer.training import corrupt_spans, random_span_mask, restore_spans
from tests.few import few

SENTINELS = [97, 96, 95, 94]
TEXT = torch.tensor([11, 12, 13, 14, 15, 16, 17])


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def n_runs(hidden: torch.Tensor) -> int:
    return int(hidden[0]) + int((hidden[1:] & ~hidden[:-1]).sum())


def mask(text: str) -> torch.Tensor:
    return torch.tensor([letter == "#" for letter in text])


@pytest.mark.parametrize(
    ("shown", "inputs", "targets"),
    [
        ("..##..#", [11, 12, 97, 15, 16, 96], [97, 13, 14, 96, 17, 95]),
        ("#.....#", [97, 12, 13, 14, 15, 16, 96], [97, 11, 96, 17, 95]),
        ("######.", [97, 17], [97, 11, 12, 13, 14, 15, 16, 96]),
    ],
)
def test_spans_by_hand(shown: str, inputs: list[int], targets: list[int]) -> None:
    got = corrupt_spans(TEXT, mask(shown), SENTINELS)
    assert [part.tolist() for part in got] == [inputs, targets]


@few
@given(st.lists(st.booleans(), min_size=2, max_size=30).filter(lambda h: 0 < sum(h) < len(h)), st.integers(0, 99))
def test_what_was_hidden_comes_back(hidden: list[bool], seed: int) -> None:
    ids = torch.randint(40, (len(hidden),), generator=generator(seed))
    sentinels = list(range(50, 70))
    inputs, targets = corrupt_spans(ids, torch.tensor(hidden), sentinels)
    assert restore_spans(inputs, targets, sentinels).tolist() == ids.tolist()
    m = n_runs(torch.tensor(hidden))
    assert len(inputs) == hidden.count(False) + m and len(targets) == hidden.count(True) + m + 1


@given(st.integers(7, 300), st.floats(0.1, 0.6), st.floats(1.5, 6.0), st.integers(0, 99))
def test_numbers_of_tokens_and_spans_are_exact(n: int, rate: float, mean_length: float, seed: int) -> None:
    hidden = random_span_mask(n, rate=rate, mean_length=mean_length, generator=generator(seed))
    k = round(rate * n)
    assert hidden.shape == (n,) and int(hidden.sum()) == k
    assert n_runs(hidden) == max(1, round(k / mean_length))


def test_all_layouts_are_equally_likely() -> None:
    # Of 6 tokens 3 in 2 spans: lengths 1 + 2 or 2 + 1, in 2 of 4 gaps.
    drawn = Counter(
        tuple(random_span_mask(6, rate=0.5, mean_length=1.5, generator=g).tolist())
        for g in [generator()]
        for _ in range(6000)
    )
    assert len(drawn) == 2 * 6
    expected = 6000 / 12
    # The 99.99 % quantile of chi-square with 11 degrees of freedom.
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < 37.4


def restored(inputs: list[int], targets: list[int]) -> torch.Tensor:
    return restore_spans(torch.tensor(inputs), torch.tensor(targets), SENTINELS)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: random_span_mask(3, generator=generator()), "rate=0.15 of n=3 tokens hides 0"),
        (lambda: random_span_mask(9, mean_length=0.5, generator=generator()), "spans of mean_length=0.5"),
        (lambda: random_span_mask(5, rate=1.0, generator=generator()), "leaves 0, too few to separate 2 spans"),
        (lambda: corrupt_spans(TEXT, mask("......."), SENTINELS), "0 of 7 tokens are hidden"),
        (lambda: corrupt_spans(TEXT, mask("#.#.#.#"), SENTINELS), "4 spans need 5 sentinels, one for the end, and"),
        (lambda: corrupt_spans(TEXT, mask("#."), SENTINELS), r"hidden \(2,\) must have the shape of the ids \(7,\)"),
        (lambda: corrupt_spans(TEXT, mask("#......"), [14, 98]), r"the text already contains the sentinels \[14\]"),
        (lambda: restored([1, 96], [97, 5, 96]), r"inputs have the sentinels \[96\]"),
        (lambda: restored([97], [3, 97, 5, 96]), "1 target tokens before"),
        (lambda: restored(SENTINELS, SENTINELS), "in order"),
    ],
)
def test_refusals(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()  # type: ignore[operator]
