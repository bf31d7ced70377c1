"""The drawings of what a row takes: weight times value, and the word with the most points is written."""

import numpy as np

from linebyline.drawings import contributions, several_models


def test_each_word_alone_and_together_write_what_has_the_most_points():
    said = contributions().description
    assert "ice alone (2, 0.8, −2.4, −0.8), which writes isvatten" in said
    assert "cream alone (−3, 3.6, 3, −2.4), which writes glass" in said
    assert "together (−1, 4.4, 0.6, −3.2), which writes glass" in said


def test_the_larger_weight_may_take_less():
    said = contributions(("Dan", "loves"), (0.55, 0.4), ("Dan", "älskar"), ((5, 0), (-7, 8))).description
    assert "together (−0.05, 3.2), which writes älskar" in said and "loves alone (−2.8, 3.2)" in said


def test_every_model_has_a_row_in_both_grids():
    weights = np.full((10, 2, 5), 0.2)
    assert several_models(weights).svg().count(">0.2<") == 100
