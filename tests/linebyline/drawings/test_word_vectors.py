"""The drawings of the chapter on embeddings: words with the same neighbors meet, and a head that favors one token."""

import numpy as np

from clearformer import functional as F
from linebyline import drawings
from linebyline.drawings.pulled import WORDS, U, path
from linebyline.drawings.small_table import HEAD, SHOWN, TABLE


def test_a_step_is_one_of_gradient_descent():
    """The slope of each word's cross-entropy, taken by differences."""
    for word, (vector, came) in WORDS.items():

        def loss(place, came=came):
            return -came @ F.log_softmax(place @ U.T)

        slope = [(loss(vector + step) - loss(vector - step)) / 2e-5 for step in 1e-5 * np.eye(2)]
        np.testing.assert_allclose(path(word)[1], vector - slope, atol=1e-8)


def test_words_with_the_same_neighbors_come_closer_at_every_step():
    apart = np.linalg.norm(path("soup") - path("rice"), axis=-1)
    assert (np.diff(apart) < 0).all()
    assert np.linalg.norm(path("soup")[-1] - path("tea")[-1]) > 10 * apart[-1]


def test_a_head_says_what_the_package_computes():
    said = drawings.lm_head().description
    assert all(f"{p:.2f}" in said for p in F.softmax(TABLE[SHOWN] @ HEAD))
