"""Laws of the specifications of the figures on positions."""

import numpy as np
import pytest

from linebyline.figures import encoding_matrix, rotation

Q, K = np.array([1.0, 2.0, 0.5, -1.0]), np.array([0.3, 1.0, -1.0, 0.2])


def test_axis_reaches_the_lowest_product():
    """A small base leaves no slow pairs, and rows can point away from each other."""
    spec = encoding_matrix(48, 4, base=1.0, description="A map.").spec
    assert spec["vconcat"][2]["encoding"]["y"]["scale"]["domain"] == [-2, 2]


def test_starting_angles_and_lengths_of_the_pairs():
    rows = rotation(Q, K, description="Hands.").spec["data"]["values"]
    assert [(row["pair"], row["line"]) for row in rows[:4]] == [
        (0, "query"),
        (0, "key"),
        (0, "difference"),
        (1, "query"),
    ]
    score = sum(row["size"] * np.cos(row["start_q"] - row["start_k"]) for row in rows[::3])
    assert score == pytest.approx(Q @ K, rel=1e-14)
