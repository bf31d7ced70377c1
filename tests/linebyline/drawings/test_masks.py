"""The drawings of the chapter on masks show what attention gives with their masks."""

import numpy as np

from linebyline.drawings import leak_test, look_ahead
from linebyline.drawings.leak_test import outputs
from linebyline.drawings.look_ahead import means


def test_the_replaced_word_moves_itself_alone_with_a_causal_mask():
    for (before, after), mean, moved in zip(
        outputs().values(), ([2, 3, 5], [5, 5, 5]), ([0, 0, 1], [1, 1, 1]), strict=True
    ):
        np.testing.assert_allclose(before, mean)
        np.testing.assert_allclose(after - before, moved)
    words = leak_test().svg()
    assert (words.count(">leak<"), words.count(">same<"), words.count(">may move<")) == (2, 2, 2)


def test_the_last_output_differs_from_the_second_layer_on():
    (first, second), (first_free, second_free) = means().values()
    assert np.isclose(first[-1], first_free[-1])
    np.testing.assert_allclose([second[-1], second_free[-1]], [10 / 3, 5])
    assert look_ahead().svg().count("head query") == 3  # three arrows look ahead
