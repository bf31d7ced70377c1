"""The clocks show what the sinusoidal encoding holds."""

import re

import pytest

from clearformer import functional as F
from linebyline.drawings import clock_hands
from linebyline.drawings.clock_hands import RADIUS


@pytest.mark.parametrize("base", [16.0, 10000.0])
def test_hands_point_to_sine_and_cosine(base):
    """How far the edge of the turned angle is to the right of the center, and how far above it."""
    turned = re.findall(r'd="M([\d.]+) ([\d.]+)L[\d. ]+A26 26 0 0 1 ([\d.]+) ([\d.]+)z', clock_hands(base).svg())
    shown = [((float(tip_x) - float(x)) / RADIUS, (float(y) - float(tip_y)) / RADIUS) for x, y, tip_x, tip_y in turned]
    expected = F.sinusoidal_encoding(3, 4, base).reshape(6, 2)
    assert shown == [pytest.approx(pair, abs=0.01) for pair in expected]
