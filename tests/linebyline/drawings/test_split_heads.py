"""Each head mixes its own columns, and the output matrix gets what the heads have found, side by side."""

import re

import numpy as np

from linebyline.drawings import split_heads
from linebyline.drawings.head_sum import FOUND, W_O


def test_heads_own_columns():
    cells = re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>([\d.]+)<', split_heads().svg())
    numbers = np.array([float(number) for number in cells])
    heads, (joined, output) = numbers[:24].reshape(2, 3, 2, 2), numbers[24:].reshape(2, 2, 4)
    for i, (weights, values, found) in enumerate(heads):
        np.testing.assert_array_equal(weights.sum(axis=-1), 1)
        np.testing.assert_array_equal(found, weights @ values)
        np.testing.assert_array_equal(joined[:, 2 * i : 2 * i + 2], found)
    np.testing.assert_array_equal(output, joined @ W_O)
    np.testing.assert_array_equal(joined[1], FOUND.ravel())  # the next drawing continues with this word
