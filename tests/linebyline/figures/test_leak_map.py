"""Laws of the specification of the leak map."""

import numpy as np

from linebyline.figures import leak_map

RNG = np.random.default_rng(0)
BEFORE, AFTER = (tuple(RNG.normal(size=(4, d)) for d in (2, 2, 3)) for _ in range(2))
MASKS = {"none": np.ones((4, 4), dtype=bool), "causal": np.tri(4, dtype=bool)}


def draw(before=BEFORE, after=AFTER, tokens="abcd", masks=MASKS, description="A map.", **start):
    return leak_map(before, after, tokens, masks, description=description, **start)


def test_a_row_holds_all_that_a_replacement_can_need():
    rows = draw().spec["data"]["values"]
    assert len(rows) == 16
    row = rows[4 * 2 + 3]  # query 2, key 3
    (q, k, v), (q2, k2, v2) = BEFORE, AFTER
    expected = np.array([q[2] @ k[3], q[2] @ k2[3], q2[2] @ k[3], q2[2] @ k2[3]]) / np.sqrt(2)
    np.testing.assert_allclose(row["scores"], expected, rtol=1e-12)
    np.testing.assert_array_equal(row["values"], v[3])
    np.testing.assert_array_equal(row["values_after"], v2[3])
    assert row["may"] == [True, False]


def test_scores_are_summed_exactly():
    q, k, v = np.array([[1e16, 1.0, -1e16]]), np.ones((1, 3)), np.ones((1, 1))
    masks = {"none": np.ones((1, 1), dtype=bool), "again": np.ones((1, 1), dtype=bool)}
    row = draw((q, k, v), (q, k, v), "a", masks).spec["data"]["values"][0]
    assert row["scores"] == [1 / np.sqrt(3)] * 4  # in plain sums the 1 would drown


def test_a_query_that_sees_nothing_can_be_drawn():
    nothing = {"none": np.ones((4, 4), dtype=bool), "past only": np.tri(4, k=-1, dtype=bool)}
    assert draw(masks=nothing).spec["data"]["values"][0]["may"] == [True, False]
