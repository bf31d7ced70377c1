"""The clocks show what the sinusoidal encoding holds."""

import re

import numpy as np
import pytest

from clearformer import functional as F
from linebyline.drawings import (
    clock_hands,
    come_round,
    one_back,
    one_hand,
    same_sine,
    step_back,
)
from linebyline.drawings.clock_hands import RADIUS


@pytest.mark.parametrize("base", [16.0, 10000.0])
def test_hands_point_to_sine_and_cosine(base):
    """How far the edge of the turned angle is to the right of the center, and how far above it."""
    turned = re.findall(r'd="M([\d.]+) ([\d.]+)L[\d. ]+A26 26 0 0 1 ([\d.]+) ([\d.]+)z', clock_hands(base).svg())
    shown = [((float(tip_x) - float(x)) / RADIUS, (float(y) - float(tip_y)) / RADIUS) for x, y, tip_x, tip_y in turned]
    expected = F.sinusoidal_encoding(3, 4, base).reshape(6, 2)
    assert shown == [pytest.approx(pair, abs=0.01) for pair in expected]


@pytest.mark.parametrize("position", [1, 2])
def test_dashed_lines_lead_from_the_tip_of_the_large_hand_to_its_sine_and_its_cosine(position):
    svg = one_hand(position).svg()
    dashed = re.findall(r'd="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)" class="off"', svg)
    (x, y, sine_x, sine_y), (_, _, cosine_x, cosine_y) = np.array(dashed, float)
    right, up = np.sin(position), np.cos(position)
    np.testing.assert_allclose([(x - 180) / 92, (122 - y) / 92], [right, up], atol=0.002)
    np.testing.assert_allclose([(sine_x - 180) / 92, sine_y], [right, 122], atol=0.002)
    np.testing.assert_allclose([cosine_x, (122 - cosine_y) / 92], [180, up], atol=0.002)
    assert [f"= {each:.2f}".replace("-", "−") in svg for each in (right, up)] == [True, True]


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


@pytest.mark.parametrize("query", [(7, -1), (2, -20)])
def test_scores_turn_round_with_the_fast_hand_unless_the_slow_one_has_a_far_larger_number(query):
    svg = come_round(query=query).svg()
    bars = re.findall(r'class="filled ?(?:weight|query)?"></rect><text[^>]*>([−\d.]+)<', svg)
    cosine, sine, scores = np.array([float(each.replace("−", "-")) for each in bars]).reshape(3, 7)
    np.testing.assert_allclose(cosine, np.cos(np.pi / 3 * np.arange(7)), atol=1e-12)
    np.testing.assert_allclose(sine, np.sin(0.1 * np.arange(7)), atol=0.05)
    np.testing.assert_allclose(query[0] * cosine + query[1] * sine, scores, atol=1e-12)
    rises = np.diff(scores) > 0
    assert rises.tolist() == [False] * 3 + [query == (7, -1)] * 3


def test_a_bar_goes_up_from_its_line_if_its_number_is_positive_and_down_if_not():
    bars = r' y="([\d.]+)" width="26" height="([\d.]+)" class="filled ?(?:weight|query)?"></rect><text[^>]*>([−\d.]+)<'
    found = np.array([[float(each.replace("−", "-")) for each in bar] for bar in re.findall(bars, come_round().svg())])
    tops, heights, values = found.reshape(3, 7, 3).transpose(2, 0, 1)  # (lines, positions) each
    for line, top, height, value in zip((170, 314, 390), tops, heights, values, strict=True):
        np.testing.assert_allclose(np.where(value > 0, top + height, top), line, atol=0.01)
        np.testing.assert_allclose(height, abs(value) * height.max() / abs(value).max(), atol=0.01)


def test_two_hands_have_the_same_sine_and_one_step_back_they_do_not():
    svg = same_sine().svg()
    tips = re.findall(r'd="M([\d.]+) ([\d.]+)V184"', svg)
    centers = [(136, 100)] * 2 + [(294, 100)] * 2
    shown = [((float(a) - x) / 54, (y - float(b)) / 54) for (a, b), (x, y) in zip(tips, centers, strict=True)]
    np.testing.assert_allclose(shown, [(np.sin(p), np.cos(p)) for p in (10, 12, 9, 11)], atol=0.01)
    words = re.findall(r">([−\d.]+(?:, twice)?)</text>", svg)
    assert [each for each in words if "." in each] == ["−0.54, twice", "0.41", "−1.00"]


def test_the_numbers_of_the_query_are_how_far_the_features_fall_over_the_pairs_of_training():
    cosine, sine = np.cos(np.pi / 3 * np.arange(4)), np.round(np.sin(0.1 * np.arange(4)), 1)
    earlier, later = np.triu_indices(4, 1)
    assert [(each[earlier] - each[later]).sum() for each in (cosine, sine)] == pytest.approx([7, -1])
