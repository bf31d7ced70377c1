"""The drawings of scores show what attention and the package compute."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import comparisons, score_network
from linebyline.drawings.comparisons import KEYS, QUERY
from linebyline.drawings.score_network import BIAS, U_K, U_Q, W, score


def test_the_longer_key_wins_in_attention_only():
    assert F.scaled_dot_product_attention(QUERY[None], KEYS, KEYS)[1].argmax() == 0
    assert "By dot product ÷ 2 A has 3 and B has 2, so A wins; by cosine A has 0.71" in comparisons().description


def test_the_drawn_network_is_additive_attention():
    keys = np.arange(4.0)[:, None]
    query, u_q = np.ones((1, 2)), np.stack([U_Q, BIAS])  # the bias is one more row of the matrix of the query
    _, weights = F.additive_attention(query, keys, keys, u_q, U_K[None], W)
    scores = np.array([score(1, float(key))[2] for key in keys[:, 0]])
    np.testing.assert_allclose(F.softmax(scores), weights[0])
    assert "its tanh is 0.9640" in score_network().description
