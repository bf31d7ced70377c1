"""The drawing of the coin shows probabilities that sum to one, and a mode that is hardly ever seen."""

import pytest

from linebyline.drawings import coin
from linebyline.drawings.coin import TOSSES, all_sequences, one_sequence


def test_the_most_probable_sequence_is_rarely_seen():
    together = [all_sequences(k) for k in range(TOSSES + 1)]
    assert sum(together) == pytest.approx(1)
    assert max(range(TOSSES + 1), key=one_sequence) == 10
    assert max(range(TOSSES + 1), key=all_sequences) == 6
    assert "0.0012 with 6 to 0.0060 with 10" in coin().description
