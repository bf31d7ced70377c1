"""The drawings of keys and their lengths show what attention and the package compute."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import normalized_keys, same_length
from linebyline.drawings.comparisons import KEYS, QUERY
from linebyline.drawings.key_lengths import CIRCLE, rms_norm, weights_of_b


def test_the_drawn_norm_is_that_of_the_package_and_turns_the_choice_round():
    np.testing.assert_allclose(rms_norm(KEYS), F.rms_norm(KEYS, np.ones(2)), rtol=1e-4)
    before, after = zip(*weights_of_b().values(), strict=True)
    assert before[0] > 0.1 and before[0] > 1e5 * before[1] > 1e50 * before[2]
    np.testing.assert_allclose(after, 0.602, atol=1e-3)
    assert "10 times as long, 7 · 10⁻⁷ before and 0.60 after" in normalized_keys().description


def test_keys_of_one_length_have_equal_gaps_by_dot_product_and_by_distance():
    lengths, distances = np.linalg.norm(CIRCLE, axis=1), np.linalg.norm(CIRCLE - QUERY, axis=1)
    assert lengths[0] == lengths[1]
    np.testing.assert_allclose(np.diff(CIRCLE @ QUERY), np.diff(-(distances**2) / 2))
    assert all(f"{x:.3g}" in same_length().description for x in distances)
