"""Laws of the surfaces: the gradient is the loss's, the least loss is 0."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from linebyline.loss_surfaces import SURFACES, Surface

COORDINATE = st.floats(-3, 3)


@given(x=COORDINATE, y=COORDINATE, name=st.sampled_from(list(SURFACES)))
def test_the_gradient_is_that_of_the_loss(x, y, name):
    point = torch.tensor([x, y], dtype=torch.float64, requires_grad=True)
    SURFACES[name].loss(point).backward()
    got = SURFACES[name].gradient(np.array([x, y]))
    np.testing.assert_allclose(got, point.grad.numpy(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("name", "minimum"),
    [("narrow bowl", (1, 0)), ("noisy bowl", (1, 0)), ("curved valley", (2, 0)), ("saddle", (0, 2**0.5))],
)
def test_the_least_loss_is_zero(name, minimum):
    grid = np.stack(np.meshgrid(np.linspace(-5, 5, 101), np.linspace(-5, 5, 101)))
    assert SURFACES[name].loss(np.array(minimum, dtype=float)) == pytest.approx(0, abs=1e-15)
    assert (SURFACES[name].loss(grid) >= 0).all()


def test_by_hand():
    valley = Surface((0.0, 0.0), along=2.0, across=10.0, bend=1.0, center=(1.0, 2.0), noise=3.0)
    point = np.array([2.0, 7.0])  # one from the center along, and one above the floor, which is at 2 + 2²
    assert valley.loss(point) == 6.0
    np.testing.assert_array_equal(valley.gradient(point), [2 - 40, 10])
    np.testing.assert_array_equal(valley.gradient(point, np.array([1.0, -1.0])), [2 - 40 + 3, 10 - 3])


def test_the_curvatures_of_the_narrow_bowl_differ_hundredfold():
    curvatures = torch.autograd.functional.hessian(SURFACES["narrow bowl"].loss, torch.zeros(2, dtype=torch.float64))
    np.testing.assert_allclose(curvatures.numpy(), [[0.1, 0], [0, 10]], rtol=0, atol=1e-15)
