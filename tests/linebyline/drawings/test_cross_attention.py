"""The drawings of cross-attention show the weights that they are given, and who asks whom."""

import numpy as np

from linebyline.drawings import cross_attention, who_asks_whom
from linebyline.drawings.cross_attention import example


def test_the_example_has_a_row_for_each_word_of_the_target():
    weights = example()
    assert weights.shape == (4, 5)
    np.testing.assert_allclose(weights.sum(axis=-1), 1)
    assert "Jane puts 0.02 on Jane, 0.93 on visite" in cross_attention().description
    assert "The rows are told: fall, fall, woman, away." in cross_attention().description
    assert cross_attention().svg().count(">0.02<") == 0  # small weights leave an empty cell


def test_other_weights_can_be_drawn():
    drawn = cross_attention(np.array([[0.25, 0.75]]), ["a", "b"], ["c"], ["d"])
    assert "c puts 0.25 on a, 0.75 on b, and d is written" in drawn.description


def test_the_decoder_asks_and_the_encoder_answers():
    drawn = who_asks_whom().svg()
    for role in ("query", "key", "value"):
        assert drawn.count(f'class="head {role}"') == 1
    assert "'<sos> In September'" in who_asks_whom().description
    assert "next word, 'Jane'" in who_asks_whom().description
