"""What the drawings of the test of a sampler show is what NumPy and SciPy compute."""

import numpy as np
import pytest
from scipy.stats import chisquare

from linebyline.drawings import chi_square_steps, noisy_logits, races, stopped_line
from linebyline.drawings.tested import COUNTED, EXPECTED, LOGITS, ROUNDS, decays, gumbel, hit, stopped_sum


def test_the_sum_is_the_statistic():
    assert chisquare(COUNTED, EXPECTED).statistic == pytest.approx(1.75)
    assert "their sum is 1.75" in chi_square_steps().description


def test_each_token_wins_once():
    ends = np.array(LOGITS) + [[gumbel(u) for u in numbers] for numbers in ROUNDS]
    assert ends.argmax(axis=-1).tolist() == [0, 1]
    assert all(f"{end:.3f}" in noisy_logits().description for end in ends.ravel())


def test_the_fast_atom_is_first_in_nine_of_ten_races():
    fast, slow = decays()
    assert (fast < slow).sum() == 9
    assert fast.max() < 1.5  # else the drawing would show it as later
    assert "9 of 10" in races().description


def test_the_example_of_the_text_is_a_race():
    times = [-np.log(u) / rate for u, rate in zip(ROUNDS[1], (9, 1), strict=True)]
    np.testing.assert_allclose([row[7] for row in decays()], times)
    assert times[0] > times[1]


def test_the_line_ends_with_token_359():
    shares = np.arange(1, 50_258) ** -1.0
    rounded = (shares / shares.sum()).astype(np.float16)
    total = rounded[:359].sum(dtype=np.float64)
    last = stopped_sum()[1][-1]
    assert abs(total - last) < 0.03 and last == pytest.approx(0.5933, abs=1e-4)
    assert np.float16(last) + rounded[359] == np.float16(last) < np.float16(last) + 2 * rounded[359]
    assert "end at 0.593" in stopped_line().description


def test_darts_hit_what_is_said():
    exact, half = stopped_sum()
    token = hit(exact, 0.8)
    assert exact[token - 2] <= 0.8 < exact[token - 1]
    assert half[-1] < 0.8
    assert f"hits token {token:,}" in stopped_line().description
