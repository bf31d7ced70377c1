"""Laws of the specification of the figure on hidden units."""

import numpy as np

from linebyline.figures import hidden_units

X = np.linspace(-1, 1, 9)
ONE = np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.array([5.0])
TWO = np.array([[1.0, 2.0]]), np.array([3.0, 4.0]), np.array([[5.0], [6.0]]), np.array([7.0])


def test_a_unit_carries_its_weights():
    layers, bias, stop, count, activation = hidden_units(
        X, X**2, [ONE, TWO], start=1, activation="GELU", description="A layer."
    ).spec["params"]
    assert layers["value"][1] == [{"unit": 0, "w": 1.0, "b": 3.0, "v": 5.0}, {"unit": 1, "w": 2.0, "b": 4.0, "v": 6.0}]
    assert bias["value"] == [5.0, 7.0]
    assert (stop["value"], stop["bind"]["max"], activation["value"]) == (1, 1, 2)
    assert count["expr"] == "['1 unit', '2 units'][stop]"
