"""The numbers of the stream add up."""

import re

import numpy as np

from linebyline.drawings import residual_stream


def test_what_parts_add_gives_the_next_row_of_the_stream():
    svg = residual_stream().svg().replace("−", "-")
    cells = re.findall(r'class="cell ?(\w*)"[^>]*></rect><text[^>]*>([-\d.]+)<', svg)
    rows = np.array([float(words) for _, words in cells]).reshape(5, 3)  # in the order of drawing
    assert [role for role, _ in cells[::3]] == ["", "weight", "", "layer", ""]
    x, attention, between, feed_forward, end = rows
    np.testing.assert_array_equal(x + attention, between)
    np.testing.assert_array_equal(between + feed_forward, end)
