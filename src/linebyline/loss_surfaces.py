"""Losses over two parameters, on which a reader can watch what an optimizer does."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class Surface:
    r"""A loss over two parameters x and y that few numbers describe.

    .. math::

        L(x, y) = \tfrac a2 (x - x_0)^2 + \tfrac b2 w^2 + \tfrac d4 w^4 + L_0, \qquad w = y - y_0 - c\,x^2

    Along the floor, where :math:`w = 0`, its curvature is nearly a; across it b. The floor is straight where c
    is 0. With b below 0 it is a ridge, and d, then above 0, makes a minimum on either side.
    The constant :math:`L_0` makes the least loss 0.

    Example:
        >>> bowl = Surface(start=(3.0, 1.0), along=2.0, across=10.0)
        >>> float(bowl.loss(np.array([3.0, 1.0]))), bowl.gradient(np.array([3.0, 1.0]))
        (14.0, array([ 6., 10.]))
    """

    start: tuple[float, float]  #: Where the paths begin, (x, y)
    along: float  #: The curvature a, above 0
    across: float  #: The curvature b, not 0
    bend: float = 0.0  #: The curvature c of the floor
    quartic: float = 0.0  #: D, above 0 if ``across`` is below
    center: tuple[float, float] = (0.0, 0.0)  #: (x_0, y_0)
    noise: float = 0.0  #: Standard deviation of what a mini-batch adds to each coordinate of the gradient

    @property
    def least(self) -> float:
        """The least of the loss before this is taken from it; below 0 beside a ridge."""
        return -(self.across**2) / (4 * self.quartic) if self.across < 0 else 0.0

    def loss(self, point: Float[np.ndarray, "2 *shape"]) -> float | Float[np.ndarray, "*shape"]:
        """The loss at a point (x, y), or at each of several: without noise."""
        x, y = point
        w = y - self.center[1] - self.bend * x * x
        total = self.along * (x - self.center[0]) ** 2 / 2 + self.across * w * w / 2 + self.quartic * w * w * w * w / 4
        loss: float | np.ndarray = total - self.least
        return loss

    def gradient(self, point: Float[np.ndarray, "2"], noise: Float[np.ndarray, "2"] | None = None) -> np.ndarray:
        """The gradient at a point (x, y), (2,); a batch's own adds ``noise``, in units of the surface's."""
        x, y = point
        w = y - self.center[1] - self.bend * x * x
        slope = self.across * w + self.quartic * w * w * w  # gradient with respect to w
        exact = np.array([self.along * (x - self.center[0]) - 2 * self.bend * x * slope, slope])  # (2,)
        return exact if noise is None else exact + self.noise * noise


# Along and across the bowls, curvatures differ 100-fold.
SURFACES: Mapping[str, Surface] = MappingProxyType(
    {
        "narrow bowl": Surface((-4.0, 1.0), along=0.1, across=10.0, center=(1.0, 0.0)),
        "noisy bowl": Surface((-4.0, 0.0), along=0.1, across=10.0, center=(1.0, 0.0), noise=1.0),
        "curved valley": Surface((-3.0, 2.5), along=0.1, across=4.0, bend=0.25, center=(2.0, -1.0)),
        "saddle": Surface((-3.0, 0.01), along=1.0, across=-0.5, quartic=0.25),
    }
)


def batch_noise(steps: int) -> Float[np.ndarray, "steps 2"]:
    """What the mini-batches of the course's noisy paths add to the gradients, in units of ``Surface.noise``.

    Rounded, so that the page that carries it is short.

    Example:
        >>> batch_noise(2)
        array([[ 0.13, -0.13],
               [ 0.64,  0.1 ]])
    """
    return np.random.default_rng(0).normal(size=(steps, 2)).round(2)
