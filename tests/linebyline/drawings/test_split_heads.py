"""Each head mixes its own columns, and none is lost on the way."""

import re

import numpy as np

from linebyline.drawings import split_heads


def test_heads_own_columns():
    cells = re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>([\d.]+)<', split_heads().svg())
    numbers = np.array([float(number) for number in cells])
    whole, heads, merged = numbers[:16].reshape(2, 8), numbers[16:56].reshape(2, 20), numbers[56:].reshape(2, 8)
    for i, head in enumerate(heads):
        columns = slice(4 * i, 4 * i + 4)
        piece, weights, output = head[:8].reshape(2, 4), head[8:12].reshape(2, 2), head[12:].reshape(2, 4)
        np.testing.assert_array_equal(piece, whole[:, columns])
        np.testing.assert_array_equal(weights.sum(axis=-1), 1)
        np.testing.assert_array_equal(output, weights @ piece)
        np.testing.assert_array_equal(merged[:, columns], output)
