"""Laws of the specification of the optimizer's path; what it draws is held against PyTorch in the browser."""

import numpy as np
import pytest

from linebyline.figures import optimizer_path
from linebyline.figures.optimizer_path import LEVELS, UNIT, X, Y
from linebyline.loss_surfaces import SURFACES, Surface

BOWL = {"bowl": Surface((3.0, 1.0), along=1.0, across=10.0)}


def drawn(**changes):
    return optimizer_path(**{"surfaces": SURFACES, "description": "A path."} | changes)


@pytest.mark.parametrize("place", range(len(SURFACES)))
def test_along_a_contour_the_loss_is_the_same(place):
    surface = list(SURFACES.values())[place]
    lines = drawn().spec["data"]["values"][place]["contours"].split("M")[1:]
    levels = set()
    for line in lines:
        moves = np.array([[int(number) for number in move.split(",")] for move in line.split("l")])  # (corners, 2)
        corners = moves.cumsum(axis=0) / (10 * UNIT) * (1, -1) + (X[0], Y[1])
        losses = np.array([surface.loss(corner) for corner in corners])
        level = min(LEVELS, key=lambda level: abs(np.log(level / np.median(losses))))
        # A tenth of a pixel, and the straight lines of a grid.
        slopes = np.array([np.linalg.norm(surface.gradient(corner)) for corner in corners])
        assert (np.abs(losses - level) < 0.004 * slopes + 0.01).all()
        levels.add(level)
    assert len(levels) >= 6
