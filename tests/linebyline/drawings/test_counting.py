"""The drawings of counts show probabilities that sum to one, and what Kneser-Ney smoothing counts."""

import pytest

from linebyline.drawings import places
from linebyline.drawings.counting import PLACES, after_ice, discounted


def test_each_column_of_probabilities_sums_to_one():
    _, *columns = zip(*after_ice().values(), strict=True)
    assert [sum(column) for column in columns] == [pytest.approx(1)] * 3


def test_what_is_taken_is_given_away():
    rows = discounted().values()
    assert sum(kept for _, kept, _ in rows) == pytest.approx(2 / 3)
    assert sum(received for *_, received in rows) == pytest.approx(1 / 3)


def test_the_more_frequent_word_occurs_in_fewer_places():
    francisco, tea = PLACES.values()
    assert len(francisco) > len(tea)
    assert len(set(francisco)) < len(set(tea))
    assert "places: 1" in places().svg()
