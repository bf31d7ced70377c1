"""Laws of the specifications of the figures on text to text."""

import numpy as np
import pytest

from linebyline.figures import distance_bias, prefixes

WRITTEN = {
    "a b": {"copy:": [("a", 0.994), ("b", 0.9)], "reverse:": [("b", 0.8), ("a", 1.0)]},
    "c": {"copy:": [("c", 0.5)], "reverse:": [("c", 0.25)]},
}
BIASES = np.random.default_rng(0).normal(size=(3, 7))


def test_each_word_has_a_row_with_its_place_and_its_probability():
    spec = prefixes(WRITTEN, sentence=1, prefix=1, description="Words.").spec
    rows = [tuple(row.values()) for row in spec["data"]["values"]]
    assert rows[:2] == [(0, 0, 1, "a", 0.99), (0, 0, 2, "b", 0.9)] and len(rows) == 6
    assert spec["usermeta"]["table"]["cells"] == ["a b", "b a", "c", "c"]
    assert [param["value"] for param in spec["params"]] == [1, 1]


def test_each_distance_of_each_head_has_its_bias():
    rows = distance_bias(BIASES, 3, description="Curves.").spec["data"]["values"]
    assert len(rows) == 21
    for row in rows:
        assert row["bias"] == pytest.approx(BIASES[row["head"], row["ahead"] + 3], abs=5e-3)
