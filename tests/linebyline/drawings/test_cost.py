"""What the drawings of the cost of attention compute is what a layer does."""

from itertools import pairwise

import numpy as np

from clearformer import functional as F
from linebyline.drawings import tiles, weights_once
from linebyline.drawings.layer_work import multiplications
from linebyline.drawings.online_softmax import SCORES, VALUES, kept, merged
from linebyline.drawings.tiles import CHUNK, WORDS, computed
from linebyline.drawings.weights_once import counts


def test_two_blocks_make_the_softmax_of_the_row():
    weights = F.softmax(np.log(2) * np.ravel(SCORES).astype(float))
    both = merged(*map(kept, SCORES, VALUES))
    np.testing.assert_allclose(float(both.o / both.l), weights @ np.ravel(VALUES))
    assert merged(*map(kept, SCORES[::-1], VALUES[::-1])) == both


def test_twice_the_tokens_are_twice_the_queries_and_four_times_the_scores():
    counts = np.array([multiplications(T) for T in (3, 6, 12)])
    assert all((b / a).tolist() == [2, 4] for a, b in pairwise(counts))


def test_the_computed_tiles_have_every_score_that_the_mask_allows():
    mask = F.causal_mask(len(WORDS))
    for i, j in np.ndindex(2, 2):
        tile = mask[i * CHUNK : (i + 1) * CHUNK, j * CHUNK : (j + 1) * CHUNK]
        assert tile.any() == ((i, j) in computed())
    assert tiles().svg().count("−∞") == CHUNK**2 * len(computed()) - mask.sum()  # hidden, and yet computed


def test_four_vectors_use_four_times_what_one_fetches():
    (fetched, once), (again, shared) = counts(1), counts(4)
    assert fetched == again == once and shared == 4 * once
    assert weights_once().svg().count("4×") == fetched
