"""The clocks show what the sinusoidal encoding holds."""

import re

import pytest

from clearformer import functional as F
from linebyline.drawings import clock_hands, one_back, wheels
from linebyline.drawings.clock_hands import RADIUS


@pytest.mark.parametrize("base", [16.0, 10000.0])
def test_hands_point_to_sine_and_cosine(base):
    """How far the edge of the turned angle is to the right of the center, and how far above it."""
    turned = re.findall(r'd="M([\d.]+) ([\d.]+)L[\d. ]+A26 26 0 0 1 ([\d.]+) ([\d.]+)z', clock_hands(base).svg())
    shown = [((float(tip_x) - float(x)) / RADIUS, (float(y) - float(tip_y)) / RADIUS) for x, y, tip_x, tip_y in turned]
    expected = F.sinusoidal_encoding(3, 4, base).reshape(6, 2)
    assert shown == [pytest.approx(pair, abs=0.01) for pair in expected]


def test_the_digits_of_each_position_are_its_binary_digits():
    digits = re.findall(r'class="cell"[^>]*></rect><text[^>]*>([01])<', wheels().svg())
    columns = ["".join(digits[p::8]) for p in range(8)]
    assert [int(column, 2) for column in columns] == list(range(8))


@pytest.mark.parametrize("position", [1, 3, 4])
def test_a_query_that_is_turned_back_fits_the_position_before(position):
    svg = one_back(position=position).svg()
    bars = [float(width) for width in re.findall(r'width="([\d.]+)" height="24" class="filled weight"', svg)]
    encoding = F.sinusoidal_encoding(5, 4, 16.0)
    assert bars == pytest.approx([60 * max(0, product) for product in encoding @ encoding[position - 1]], abs=0.01)
    assert max(range(5), key=bars.__getitem__) == position - 1
