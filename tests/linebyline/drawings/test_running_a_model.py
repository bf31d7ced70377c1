"""The drawing of rounded weights: codes are the nearest ones, and a large weight makes others zero."""

import re

import numpy as np
import pytest

from linebyline.drawings import four_bits
from linebyline.drawings.four_bits import CODES, LARGE, WEIGHTS, codes_of


@pytest.mark.parametrize("first", [WEIGHTS[0], LARGE])
def test_each_weight_gets_the_nearest_code(first):
    weights = (first, *WEIGHTS[1:])
    step, codes = codes_of(weights)
    grid = step * np.arange(-CODES, CODES + 1)
    assert codes.tolist() == [int(np.abs(grid - weight).argmin()) - CODES for weight in weights]
    assert codes[0] == CODES and step * CODES == pytest.approx(first)


def test_a_large_weight_turns_two_others_into_zero():
    assert (codes_of((LARGE, *WEIGHTS[1:]))[1] == 0).sum() == 2 and 0 not in codes_of(WEIGHTS)[1]
    words = re.findall(r"by the step: ([^<]+)<", four_bits().svg().replace("−", "-"))
    assert [[float(word) for word in each.split(", ")] for each in words] == [
        [-0.64, -0.26, 0.39, 0.9],
        [-1.29, 0, 0, 9],
    ]
