"""Schedules: worked by hand, their highest rate, and what they refuse."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearformer.training import inverse_square_root, warmup_cosine


def test_cosine_by_hand() -> None:
    rate = warmup_cosine(2.0, 4, 12, floor=0.25)
    assert [rate(i) for i in range(4)] == [0.5, 1.0, 1.5, 2.0]
    assert rate(8) == pytest.approx(2 * (0.25 + 0.75 / 2))
    assert rate(12) == rate(100) == pytest.approx(0.5)
    assert all(rate(i) >= rate(i + 1) for i in range(4, 12))
    with pytest.raises(ValueError, match="warmup=13 lie between 0 and steps=12"):
        warmup_cosine(1.0, 13, 12)
    for peak in (math.inf, math.nan, 0.0):
        with pytest.raises(ValueError, match=f"peak={peak} must be positive and finite"):
            warmup_cosine(peak, 1, 5)
    with pytest.raises(ValueError, match=r"peak=-1\.0 must be positive"):
        warmup_cosine(-1.0, 0, 12)


def test_rate_beyond_the_steps_is_the_floor() -> None:
    for warmup in (0, 3, 10):
        rate = warmup_cosine(2.0, warmup, 10)
        assert [rate(step) for step in (10, 11, 1_000)] == [pytest.approx(0.2)] * 3


def test_root_by_hand() -> None:
    rate = inverse_square_root(512, 4000)  # the first Transformer's
    assert rate(0) == pytest.approx(512**-0.5 / 4000**1.5)
    assert rate(3_999) == pytest.approx((512 * 4000) ** -0.5)
    assert rate(15_999) == pytest.approx(rate(3_999) / 2)
    assert inverse_square_root(2048, 4000)(9) == pytest.approx(rate(9) / 2)


@given(st.integers(1, 10_000), st.integers(1, 1_000))
def test_root_rises_in_a_line_and_then_falls(d_model: int, warmup: int) -> None:
    rate = inverse_square_root(d_model, warmup)
    assert rate(warmup - 1) == pytest.approx(warmup * rate(0))
    assert rate(warmup - 1) > rate(warmup)
    assert all(rate(warmup - 1) >= rate(step) for step in (0, warmup // 2, 2 * warmup, 10 * warmup))


def test_root_refuses() -> None:
    with pytest.raises(ValueError, match="d_model=0 and warmup=5 must be at least 1"):
        inverse_square_root(0, 5)
    with pytest.raises(ValueError, match="d_model=7 and warmup=0 must be at least 1"):
        inverse_square_root(7, 0)
