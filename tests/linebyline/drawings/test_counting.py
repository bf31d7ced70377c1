"""The drawings of counts show probabilities that sum to one, and what Kneser-Ney smoothing counts."""

import pytest

from linebyline.drawings import cache_of_tokens, left_neighbors, pair_neighbors, two_lists
from linebyline.drawings.counting import BEFORE, LISTS, after_ice, before_pairs, discounted, on_lists
from linebyline.drawings.shorter_contexts import ALPHABET, cached, steps


def test_each_column_of_probabilities_sums_to_one():
    _, *columns = zip(*after_ice().values(), strict=True)
    assert [sum(column) for column in columns] == [pytest.approx(1)] * 3


def test_what_is_taken_is_given_away():
    rows = discounted().values()
    assert sum(kept for _, kept, _ in rows) == pytest.approx(2.2 / 3)
    assert sum(received for *_, received in rows) == pytest.approx(0.8 / 3)


def test_a_coin_puts_each_occurrence_on_one_list():
    assert all(sum(on_lists(ngram)) == len(where) for ngram, where in LISTS.items())
    once = [on_lists(ngram)[1] for ngram in LISTS if on_lists(ngram)[0] == 1]
    assert once == [0, 1]
    assert "0.5 each on the second" in two_lists().svg()
    assert "of the knots: unseen on the first list," in two_lists().svg()


def test_the_more_frequent_word_has_fewer_left_neighbors():
    francisco, tea = BEFORE.values()
    assert len(francisco) > len(tea)
    assert len(set(francisco)) < len(set(tea))
    assert "left neighbors: 1 of 4" in left_neighbors().svg()


def test_pairs_that_always_come_after_one_letter_have_one_left_neighbor():
    assert {pair: len(before) for pair, before in before_pairs().items()} == {"ca": 1, "cb": 3}
    assert pair_neighbors().svg().count("left neighbors: 1 of 2") == 2


def test_each_context_divides_one_among_the_letters():
    for k in range(3):
        assert sum(steps(letter)[k][3] + steps(letter)[k][4] for letter in ALPHABET) == pytest.approx(1)


def test_without_context_the_letters_have_the_probabilities_of_their_left_neighbors():
    assert [round(sum(steps(letter)[0][3:]), 3) for letter in ALPHABET] == [0.4, 0.4, 0.2]


def test_a_cache_counts_what_followed_the_last_token():
    assert cached("spline") == (1, 2, pytest.approx(1.08 / 10))
    assert cached("pieces")[:2] == (1, 2)
    assert cached("cubic")[0] == 0
    assert "after cubic: spline 1 of 2 times" in cache_of_tokens().svg()
