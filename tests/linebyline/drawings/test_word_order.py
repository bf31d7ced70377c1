"""What the drawing of word order shows are sums."""

import re

import numpy as np

from linebyline.drawings import added_positions


def test_each_sum_is_word_plus_position():
    svg = added_positions().svg()
    cells = re.findall(r'class="cell ?(layer)?"[^>]*></rect><text[^>]*>([−\d]+)<', svg)
    rows = np.array([int(number.replace("−", "-")) for _, number in cells]).reshape(6, 3, 2)
    assert [role for role, _ in cells[2:4]] == ["layer", "layer"]
    np.testing.assert_array_equal(rows[:, 0] + rows[:, 1], rows[:, 2])
    np.testing.assert_array_equal(rows[:3, 0], rows[:2:-1, 0])
    np.testing.assert_array_equal(rows[:3, 1], rows[3:, 1])
