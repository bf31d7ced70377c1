"""Laws of the specification of the figure on hidden units."""

import json

import numpy as np
import pytest

from linebyline.figures import hidden_units

X = np.linspace(-1, 1, 9)
ONE = np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.array([5.0])
TWO = np.array([[1.0, 2.0]]), np.array([3.0, 4.0]), np.array([[5.0], [6.0]]), np.array([7.0])


def test_same_arguments_give_the_same_output():
    for _ in range(2):
        first, second = (hidden_units(X, X, [ONE, TWO], description="A layer.") for _ in range(2))
        assert json.dumps(first._repr_mimebundle_()) == json.dumps(second._repr_mimebundle_())


def test_a_unit_carries_its_weights():
    layers, bias, stop, count, activation = hidden_units(
        X, X**2, [ONE, TWO], start=1, activation="GELU", description="A layer."
    ).spec["params"]
    assert layers["value"][1] == [{"unit": 0, "w": 1.0, "b": 3.0, "v": 5.0}, {"unit": 1, "w": 2.0, "b": 4.0, "v": 6.0}]
    assert bias["value"] == [5.0, 7.0]
    assert (stop["value"], stop["bind"]["max"], activation["value"]) == (1, 1, 2)
    assert count["expr"] == "['1 unit', '2 units'][stop]"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hidden_units(X, X[:3], [ONE], description="A."), r"x \(9,\) and target \(3,\) must be"),
        (lambda: hidden_units(X[:6], X[:6], [ONE], description="A."), r"x \(6,\) .* at least 7"),
        (
            lambda: hidden_units(X, X, [ONE, TWO[::-1]], description="A."),
            r"layer 1 must lead .* d_ff=2 .* got",
        ),
        (lambda: hidden_units(X, X, [ONE], start=1, description="A."), "start=1 must be one of the 1 layers"),
        (lambda: hidden_units(X, X, [ONE], activation="tanh", description="A."), "'tanh' is none of none, ReLU"),
        (lambda: hidden_units(X * np.nan, X, [ONE], description="A."), "cannot draw nan"),
        (lambda: hidden_units(X, X, [ONE]), "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
