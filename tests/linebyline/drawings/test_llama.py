"""The drawings on Llama: a slow hand needs slowing, a fast one is spoiled by it, and an interval is that of scipy."""

import re

import pytest
from scipy import stats

from linebyline.drawings import (
    five_changes,
    longer_text,
    ramp,
    two_blocks,
)
from linebyline.drawings.five_changes import CHANGES, REACH, interval
from linebyline.drawings.longer_text import FAR, FAST, SLOW, SLOWER, TRAINED
from linebyline.drawings.ramp import FEW, MANY, SPEEDS, slowed


def test_the_slow_hand_is_beyond_its_training_and_the_fast_one_is_not():
    seen = {name: {speed * n % 360 for n in range(TRAINED)} for name, speed in (("slow", SLOW), ("fast", FAST))}
    assert SLOW * FAR > max(seen["slow"]) >= SLOW * FAR / SLOWER
    assert FAST * FAR % 360 in seen["fast"] and FAST / SLOWER * SLOWER == FAST
    said = {f"{SLOW * FAR}°, new", "12.5°, shown", "0°, shown", "finds 1 back", f"finds {SLOWER} back"}
    assert said <= set(re.findall(r">([^<]+)</text>", longer_text().svg()))


def test_the_ramp_keeps_fast_pairs_and_divides_slow_ones():
    assert re.findall(r"° → ([\d.]+)°<", ramp().svg()) == ["5.5", "0.125", "18.75", "90"]
    for speed in SPEEDS:
        turns, _, new = slowed(speed)
        divided = speed / SLOWER
        assert new == (speed if turns >= MANY else divided if turns <= FEW else new) and divided <= new <= speed


def test_all_five_swaps_are_numbered():
    assert set(re.findall(r'class="bold"[^>]*>(\d)<', two_blocks().svg())) == set("12345")


def test_the_interval_of_five_changes_is_that_of_scipy():
    mean, error, reach = interval(CHANGES)
    expected = stats.t.interval(0.99, len(CHANGES) - 1, mean, stats.sem(CHANGES))
    assert (mean - reach, mean + reach) == pytest.approx(expected, abs=1e-5) and REACH * error == reach
    assert re.findall(r">([+−]0\.\d{3})<", five_changes().svg()) == ["−0.014", "+0.015"]
