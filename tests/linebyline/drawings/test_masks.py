"""The drawings of the chapter on masks show what attention gives with their masks."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import leak_test, look_ahead, packed_rows, packed_texts
from linebyline.drawings.leak_test import outputs
from linebyline.drawings.look_ahead import means
from linebyline.drawings.packed import TEXTS, packed_mask


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


def test_packed_texts_are_what_attention_computes_of_each_alone():
    text, position, mask = packed_mask()
    values = np.random.default_rng(0).normal(size=(len(text), 3))
    together, _ = F.scaled_dot_product_attention(values, values, values, mask)
    for number, words in enumerate(TEXTS):
        own = values[np.equal(text, number)]
        alone, _ = F.scaled_dot_product_attention(own, own, own, F.causal_mask(len(words)))
        np.testing.assert_allclose(together[np.equal(text, number)], alone)
    assert position == [0, 1, 0, 1, 2]
    assert packed_texts().svg().count(">other<") == 6 and "0 of padding" in packed_rows().svg()
