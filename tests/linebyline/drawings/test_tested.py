"""What the drawings of the test of a sampler show is what NumPy and SciPy compute."""

import numpy as np
import pytest
from scipy.stats import chisquare

from linebyline.drawings import chi_square_steps, noisy_logits, races, tie
from linebyline.drawings.tested import COUNTED, EXPECTED, LOGITS, ROUNDS, decays, gumbel


def test_the_sum_is_the_statistic():
    assert chisquare(COUNTED, EXPECTED).statistic == pytest.approx(1.75)
    assert "their sum is 1.75" in chi_square_steps().description


def test_each_token_wins_once():
    ends = np.array(LOGITS) + [[gumbel(u) for u in numbers] for numbers in ROUNDS]
    assert ends.argmax(axis=-1).tolist() == [0, 1]
    assert all(f"{end:.2f}" in noisy_logits().description for end in ends.ravel())


def test_the_fast_nucleus_is_first_in_nine_of_ten_races():
    fast, slow = decays()
    assert (fast < slow).sum() == 9
    assert fast.max() < 1.5  # else the drawing would show it as later
    assert "9 of 10" in races().description


def test_the_tie_is_off_by_the_last_digit():
    assert f"{0.2:.17f}" == "0.20000000000000001"
    assert repr(1 - 0.8) == "0.19999999999999996"
    assert "0.19999999999999996" in tie().svg()
