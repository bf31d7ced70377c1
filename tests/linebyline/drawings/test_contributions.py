"""The drawings of what a row takes: weight times value, and the word with the most points is written."""

import numpy as np

from linebyline.drawings import contributions, several_models


def test_each_word_alone_and_together_write_what_has_the_most_points():
    said = contributions().description
    assert "ice, weight 0.4, value (5, 2, −6, −2), which alone would write isvatten" in said
    assert "cream, weight 0.6, value (−5, 6, 5, −4), which alone would write glass" in said
    assert "from ice (2, 0.8, −2.4, −0.8); from cream (−3, 3.6, 3, −2.4)" in said
    assert "together (−1, 4.4, 0.6, −3.2), which writes glass" in said


def test_the_larger_weight_may_take_less():
    said = contributions(("Ann", "loves"), (0.54, 0.4), ("Anna", "älskar"), ((5, 0), (-8, 8))).description
    assert "together (−0.5, 3.2), which writes älskar" in said and "from loves (−3.2, 3.2)" in said


def test_half_of_each_of_two_words_writes_a_third():
    said = contributions(("a", "b"), (0.5, 0.5), ("one", "two", "three"), ((5, -7, 2), (-7, 5, 2))).description
    assert "alone would write one" in said and "alone would write two" in said and "which writes three" in said


def test_every_model_has_a_row_in_both_grids():
    weights = np.full((10, 2, 5), 0.2)
    drawn = several_models(weights)
    assert drawn.svg().count(">0.2<") == 100
    assert "model 9 reads Ann (≈ 0.2) and loves (≈ 0.2)" in drawn.description
