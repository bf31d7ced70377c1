"""The drawings of the first chapter show what the functions compute, and their descriptions say the same numbers."""

from importlib import import_module

import numpy as np
import pytest

from clearformer import functional as F
from linebyline import drawings
from linebyline.drawings.kit import number
from linebyline.drawings.layer import BEFORE, BIAS, CASES, NOW, OUT
from linebyline.drawings.next_character import LETTERS, LOGITS, TEXT

descent = import_module("linebyline.drawings.gradient_descent")  # the package has a function of this name


def test_counts_are_those_of_the_text():
    said = drawings.bigrams().description
    for first, second, count, p in (("a", "n", 4, 0.8), ("a", " ", 1, 0.2), ("n", "a", 3, 0.75), ("n", "d", 1, 0.25)):
        pairs = [TEXT[i : i + 2] for i in range(len(TEXT) - 1)]
        assert pairs.count(first + second) == count and str(count) in said
        assert count / TEXT[:-1].count(first) == p and f"{p:g}" in said
    assert {*TEXT} == {*LETTERS}


def test_a_softmax_is_that_of_the_package():
    said = drawings.softmax_steps().description
    for share in F.softmax(np.array(LOGITS, dtype=float)):
        assert f"{share:.2f}" in said


def test_surprises_are_logarithms():
    said = drawings.surprise().description
    assert all(f"{-np.log(p):.2f}" in said for p in (0.8, 0.75, 0.25, 0.2))


@pytest.mark.parametrize("z", [-1.0, 0.0, 2.5, 8.0])
def test_a_slope_is_the_derivative_of_the_loss(z):
    np.testing.assert_allclose(descent.slope(z), (descent.loss(z + 1e-5) - descent.loss(z - 1e-5)) / 2e-5, rtol=1e-6)


def test_the_right_learning_rate_ends_lowest():
    slow, right, fast = (descent.loss(descent.path(rate)[-1]) for rate in descent.RATES)
    assert right < slow < fast < descent.loss(0.0)
    assert right == pytest.approx(descent.loss(np.log(16)), abs=1e-3)


def test_too_large_a_learning_rate_never_settles():
    late = descent.path(20.0, 1000)[-100:]
    assert max(late) - min(late) > 5


def test_slopes_through_hidden_units_are_finite_differences():
    """Each slope in the description is what the loss does when that number alone moves."""

    def loss(total=(1.0, -1.0), more=(0.0, 0.0), logits=(0.0, 0.0)):
        z = (np.maximum(total, 0) + more) @ np.transpose([*OUT.values()]) + logits
        return np.log(np.exp(z).sum()) - z[0]

    said = drawings.hidden_backward().description
    for name, start in (("total", (1.0, -1.0)), ("more", (0.0, 0.0)), ("logits", (0.0, 0.0))):
        slopes = [(loss(**{name: start + e}) - loss(**{name: start - e})) / 2e-5 for e in 1e-5 * np.eye(2)]
        assert "({}, {})".format(*map(number, slopes)) in said


def test_each_unit_is_on_for_its_own_pair():
    """The weights were chosen by hand so that e is raised after th, a after sh, and neither after to and so."""
    logits = []
    for before, now in CASES:
        hidden = np.maximum(np.add(BEFORE[before], NOW[now]) + BIAS, 0)
        logits.append([float(hidden @ weights) for weights in OUT.values()])
    assert logits == [[1, -1], [0, 2], [0, 0], [0, 0]]
