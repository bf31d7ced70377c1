"""The drawing of a head that chooses the first of two names: its scores are products of what it shows."""

import re

import numpy as np
import pytest

from linebyline.drawings import first_name


def test_the_scores_are_the_products_of_the_query_and_the_keys_and_the_weights_their_softmax():
    svg = first_name().svg().replace("−", "-")
    cells = [float(each) for each in re.findall(r'">(-?\d(?:\.\d\d)?)</text>', svg)]
    keys = np.array([each for each in cells if abs(each) % 1 and each not in (0.95, 0.05)]).reshape(2, 2)
    scores = [float(each) for each in re.findall(r'class="bold">(-?\d\.\d)</text>', svg)]
    assert keys @ (2, 1) == pytest.approx(scores, abs=0.06)
    first = 1 / (1 + np.exp(scores[1] - scores[0]))
    assert f"{first:.2f}" in svg and f"{1 - first:.2f}" in svg
