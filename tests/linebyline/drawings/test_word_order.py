"""What the drawings of word order show are sums."""

import re

import numpy as np

from linebyline.drawings import added_positions, who_is_first


def numbers(svg, mark):
    found = re.findall(rf'class="{mark}"[^>]*></rect><text[^>]*>([−\d.]+)<', svg)
    return [float(each.replace("−", "-")) for each in found]


def test_each_sum_is_word_plus_position():
    svg = added_positions().svg()
    cells = re.findall(r'class="cell ?(layer)?"[^>]*></rect><text[^>]*>([−\d]+)<', svg)
    rows = np.array([int(number.replace("−", "-")) for _, number in cells]).reshape(6, 3, 2)
    assert [role for role, _ in cells[2:4]] == ["layer", "layer"]
    np.testing.assert_array_equal(rows[:, 0] + rows[:, 1], rows[:, 2])
    np.testing.assert_array_equal(rows[:3, 0], rows[:2:-1, 0])
    np.testing.assert_array_equal(rows[:3, 1], rows[3:, 1])


def test_the_larger_mean_of_the_evidence_decides_and_only_the_names_change_theirs():
    shown = np.array(numbers(who_is_first().svg(), "cell weight")).reshape(2, 5)
    np.testing.assert_array_equal(shown[:, :4].mean(axis=1), shown[:, 4])
    np.testing.assert_array_equal(shown[0, [0, 2]], shown[1, [0, 2]])
    assert shown[0, 4] > shown[1, 4]
    differences = shown[0] - shown[1]  # "Dan minus Eve" at 1, and minus that at 3
    assert differences[[1, 3, 4]].tolist() == [2, 10, 3]
