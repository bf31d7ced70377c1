"""The alignment error rate: by hand, equal to the sets of its definition, its bounds, chance and refusals."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from linebyline.alignment import alignment_error_rate, chance_error_rate, diagonal_weights, in_order
from tests.few import few

Alignment = list[tuple[int, ...]]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[np.ndarray], list[Alignment]]:
    """Sentences with weights, some rows of which are all zero, and with any number of links at each position."""
    weights, alignments = [], []
    for _ in range(draw(st.integers(1, 4))):
        S, rng = draw(st.integers(1, 5)), np.random.default_rng(draw(st.integers(0, 2**16)))
        alignment = draw(st.lists(st.sets(st.integers(0, S - 1)).map(tuple), min_size=1, max_size=5))
        rows = rng.random((len(alignment), S)) * (rng.random((len(alignment), 1)) < 0.8)
        weights.append(rows)
        alignments.append(alignment)
    return weights, alignments


def test_by_hand() -> None:
    """Links (0, 2), (1, 0) and, in the second sentence, (0, 1): two are right, and there are four true ones."""
    weights = [np.array([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1]]), np.array([[0.2, 0.8], [0.0, 0.0]])]
    alignments = [[(2,), (1, 2)], [(1,), ()]]
    twice = [[sources + sources for sources in alignment] for alignment in alignments]
    for links in (alignments, twice):  # a link that is named twice is one
        assert alignment_error_rate(weights, links) == pytest.approx(1 - 2 * 2 / (3 + 4), rel=1e-14)
    assert chance_error_rate([3, 2], alignments) == pytest.approx(1 - 2 * (3 / 3 + 1 / 2) / (4 + 4), rel=1e-14)


@few
@given(corpora())
def test_equal_to_the_sets_of_the_definition(corpus: tuple[list[np.ndarray], list[Alignment]]) -> None:
    weights, alignments = corpus
    sure = {(n, t, s) for n, each in enumerate(alignments) for t, sources in enumerate(each) for s in sources}
    found = {
        (n, t, max(range(rows.shape[1]), key=lambda s, row=row: row[s]))
        for n, rows in enumerate(weights)
        for t, row in enumerate(rows)
        if row.sum() > 0
    }
    assume(found | sure)
    expected = 1 - (len(found & sure) + len(found & sure)) / (len(found) + len(sure))
    got = alignment_error_rate(weights, alignments)
    assert got == pytest.approx(expected, abs=1e-14)
    assert 0 <= got <= 1


@few
@given(corpora())
def test_chance_is_the_mean_over_every_choice(corpus: tuple[list[np.ndarray], list[Alignment]]) -> None:
    """Joined to one source position after another, each position meets all; counted over all turns, the mean."""
    weights, alignments = corpus
    lengths = [rows.shape[1] for rows in weights]
    turns = int(np.lcm.reduce(lengths))
    rates = [
        alignment_error_rate(
            [np.eye(S)[np.full(len(a), turn % S)] for S, a in zip(lengths, alignments, strict=True)], alignments
        )
        for turn in range(turns)
    ]
    assert chance_error_rate(lengths, alignments) == pytest.approx(np.mean(rates), abs=1e-12)


@given(st.integers(1, 30), st.integers(1, 30))
def test_the_diagonal_keeps_the_order_and_lies_in_the_middle(T: int, S: int) -> None:
    weights = diagonal_weights(T, S)
    assert weights.shape == (T, S)
    assert (weights.sum(axis=1) == 1).all()
    places = weights.argmax(axis=1)
    assert (np.diff(places) >= 0).all()
    assert (np.abs((places + 0.5) / S - (np.arange(T) + 0.5) / T) <= 0.5 / S + 1e-12).all()
    if T == S:
        assert alignment_error_rate([weights], [[(t,) for t in range(T)]]) == 0


def test_a_longest_common_subsequence_has_the_same_words_in_the_same_order():
    assert in_order("abcd", "xbdc") in ([(1, 1), (2, 3)], [(1, 1), (3, 2)])
