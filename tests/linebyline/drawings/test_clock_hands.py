"""The clocks show what the sinusoidal encoding holds."""

import re

import numpy as np
import pytest

from clearformer import functional as F
from linebyline.drawings import clock_hands, come_round, one_back, step_back, wheels
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
    shown = re.findall(r'class="empty weight"></rect><text[^>]*>([\d.]+)<', svg)
    encoding = F.sinusoidal_encoding(position + 1, 4, 16.0)
    products = encoding @ encoding[position - 1]
    expected = np.stack([F.softmax(products / 2), F.softmax(10 * products / 2)], axis=-1)  # (S, 2)
    np.testing.assert_allclose(np.array(shown, float).reshape(-1, 2), expected, atol=0.005)
    assert expected.argmax(axis=0).tolist() == [position - 1] * 2


@pytest.mark.parametrize("position", [1, 3])
def test_the_matrix_that_is_drawn_leads_one_step_back(position):
    svg = step_back(position=position).svg()
    cells = re.findall(r'class="cell ?(?:query)?"[^>]*></rect><text[^>]*>([−\d.]+)<', svg)
    numbers = np.array([float(each.replace("−", "-")) for each in cells])
    before, after, *blocks = numbers.reshape(6, 4)  # the four blocks have four cells each
    matrix = np.block([[block.reshape(2, 2) for block in blocks[i : i + 2]] for i in (0, 2)])
    np.testing.assert_allclose(before @ matrix, after, atol=0.02)
    np.testing.assert_allclose(after, F.sinusoidal_encoding(4, 4, 16.0)[position - 1], atol=0.005)


def test_only_the_fast_hand_is_back_at_a_position_beyond_training():
    numbers = re.findall(r'class="cell"[^>]*></rect><text[^>]*>([−\d.]+)<', come_round().svg())
    shown = np.array([float(each.replace("−", "-")) for each in numbers]).reshape(4, 2, 2)  # positions, hands, features
    encoding = F.sinusoidal_encoding(27, 64)[[0, 13, 23, 26]].reshape(4, 32, 2)
    np.testing.assert_allclose(shown, encoding[:, [5, 15]], atol=0.006)
    to_start, to_last = (np.linalg.norm(shown[3] - shown[p], axis=-1) for p in (0, 2))
    assert to_start[0] < 0.15 < to_last[0]
    assert to_last[1] < 0.05 < to_start[1]
