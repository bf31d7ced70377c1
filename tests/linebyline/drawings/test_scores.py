"""The drawings of scores show what attention and the package compute."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import equal_scores, score_network
from linebyline.drawings.equal_scores import KEYS, QUERY, lines, scores, weights_of_b
from linebyline.drawings.score_network import BIAS, U_K, U_Q, W, score


def test_the_longer_key_wins_in_attention_only():
    pair = KEYS[:2]  # A and B
    weights = F.scaled_dot_product_attention(QUERY[None], pair, pair)[1]
    np.testing.assert_allclose(F.softmax(scores()["dot product"][:2]), weights[0])
    assert weights.argmax() == 0
    for name, weight in weights_of_b().items():
        np.testing.assert_allclose(F.softmax(scores()[name][:2])[1], weight)
    said = "By dot product A has 3 and B has 2, so A wins, and 2B has 4; of A and B alone, B gets the weight 0.27; by"
    assert said in equal_scores().description


def test_all_keys_on_a_drawn_line_have_the_same_score():
    query, drawn = QUERY[:2], lines()
    assert all(np.ptp(line @ query) < 1e-12 for line in drawn["dot product"])
    assert all(np.ptp(np.linalg.norm(line - query, axis=1)) < 1e-12 for line in drawn["distance"])
    for line in drawn["cosine"]:
        away = line[1:]  # the origin has no direction
        assert np.ptp(away @ query / np.linalg.norm(away, axis=1)) < 1e-12
    for name in drawn:  # A and 2B are on a line of each panel
        for key in KEYS[[0, 2], :2]:
            assert min(np.linalg.norm(line - key, axis=1).min() for line in drawn[name]) < 0.05, name


def test_the_drawn_network_is_additive_attention():
    keys = np.arange(4.0)[:, None]
    query, u_q = np.ones((1, 2)), np.stack([U_Q, BIAS])  # the bias is one more row of the matrix of the query
    _, weights = F.additive_attention(query, keys, keys, u_q, U_K[None], W)
    scores = np.array([score(1, float(key))[2] for key in keys[:, 0]])
    np.testing.assert_allclose(F.softmax(scores), weights[0])
    assert "its tanh is 0.9640" in score_network().description
