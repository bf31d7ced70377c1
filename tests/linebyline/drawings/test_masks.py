"""The drawings of the chapter on masks show what attention gives with their masks."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import accidents, leak_test, look_ahead, many_columns, padded_batch
from linebyline.drawings.accidents import steps
from linebyline.drawings.leak_test import outputs
from linebyline.drawings.look_ahead import means
from linebyline.drawings.many_columns import COLUMNS, PAD, WORD, WORDS, weight_of_padding
from linebyline.drawings.padded_batch import PLACES


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


def test_the_mean_of_the_words_is_what_attention_gives_with_a_padding_mask():
    for numbers in PLACES.values():
        values, flat = np.array(numbers)[:, None], np.zeros((4, 1))
        output, _ = F.scaled_dot_product_attention(flat[:1], flat, values, F.padding_mask([2], 4)[0])
        np.testing.assert_allclose(output, sum(numbers[:2]) / 2)
    assert (
        "attention: the values: 2, 4, 9, 9; the mean of all four is 6, that of the words 3"
        in padded_batch().description
    )


def test_the_cures_of_the_accidents_give_what_the_package_gives():
    for naive, cured in steps().values():
        assert np.isnan(naive[-1]).any() and np.isfinite(cured[-1]).all()
        np.testing.assert_allclose(cured[-1], F.softmax(naive[0].astype(float)), atol=1e-12)
    assert "90, 0 then ∞, 1 then ∞ then nan, 0" in accidents().description


def test_many_columns_get_the_weight_that_a_softmax_gives_them():
    for columns, expected in zip(COLUMNS, (0.1, 0.5), strict=True):
        weights = F.softmax(np.log([WORD] * WORDS + [PAD] * columns))
        np.testing.assert_allclose([weight_of_padding(columns), weights[WORDS:].sum()], expected)
    assert many_columns().svg().count('class="off"') == sum(COLUMNS)
