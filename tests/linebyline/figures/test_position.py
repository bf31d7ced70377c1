"""Laws of the specifications of the figures on positions."""

import json

import numpy as np
import pytest

from linebyline.figures import encoding_matrix, rotation

Q, K = np.array([1.0, 2.0, 0.5, -1.0]), np.array([0.3, 1.0, -1.0, 0.2])


def test_same_arguments_give_the_same_output():
    for draw in (lambda: encoding_matrix(7, 4, description="A map."), lambda: rotation(Q, K, description="Hands.")):
        assert json.dumps(draw()._repr_mimebundle_()) == json.dumps(draw()._repr_mimebundle_())


def test_the_matrix_travels_as_a_formula_not_as_numbers():
    spec = encoding_matrix(48, 32, description="A map.").spec
    assert len(json.dumps(spec)) < 5000
    assert len(spec["usermeta"]["table"]["rows"]) == 48


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: encoding_matrix(1, 4, description="A map."), "T=1 of at least 2"),
        (lambda: encoding_matrix(7, 5, description="A map."), "even d_model=5"),
        (lambda: encoding_matrix(7, 4, position=7, description="A map."), "position=7 must be one of the 7 rows"),
        (lambda: encoding_matrix(7, 4), "needs a description"),
        (lambda: rotation(Q, K[:2], description="Hands."), r"same even width, got \(4,\) and \(2,\)"),
        (lambda: rotation(Q[:3], K[:3], description="Hands."), r"same even width, got \(3,\) and \(3,\)"),
        (lambda: rotation(Q, 0 * K, description="Hands."), "no direction to rotate"),
        (lambda: rotation(Q * np.nan, K, description="Hands."), "no direction|cannot draw nan"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
