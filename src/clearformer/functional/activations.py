"""Activation functions and the softmax: each returns an array of the shape and dtype that it is given.

Anything but a NumPy array of floats is a TypeError.
"""

import math

import numpy as np
from jaxtyping import Float

from clearformer.functional._checks import require_float


def softmax(z: Float[np.ndarray, "*batch n"], axis: int = -1) -> Float[np.ndarray, "*batch n"]:
    r"""Turn scores into positive weights that sum to one along an axis, finite for every finite score.

    .. math::

        \operatorname{softmax}(z)_i = \frac{e^{z_i}}{\sum_j e^{z_j}}

    A score of ``-inf`` gets weight 0. A row of nothing but ``-inf`` gives zeros, where the formula alone would
    be 0/0.

    Source: Bridle (1990).

    Example:
        >>> softmax(np.array([0.0, np.log(3.0), -np.inf])).round(6)
        array([0.25, 0.75, 0.  ])
    """
    require_float(z=z)
    exponentials: np.ndarray = np.exp(_shift(z, axis))  # (..., n), the largest is 1
    total = exponentials.sum(axis=axis, keepdims=True)  # (..., 1)
    return exponentials / np.where(total == 0, 1, total)  # (..., n)


def log_softmax(z: Float[np.ndarray, "*batch n"], axis: int = -1) -> Float[np.ndarray, "*batch n"]:
    r"""Compute the logarithm of the softmax, without weights that round to zero on the way.

    .. math::

        \log\operatorname{softmax}(z)_i = z_i - \log\sum_j e^{z_j}

    A row of nothing but ``-inf`` stays ``-inf``.

    Example:
        >>> log_softmax(np.array([0.0, 1000.0]))
        array([-1000.,     0.])
    """
    require_float(z=z)
    shifted = _shift(z, axis)  # (..., n), the largest is 0
    total = np.exp(shifted).sum(axis=axis, keepdims=True)  # (..., 1)
    return shifted - np.log(np.where(total == 0, 1, total))  # (..., n)


def softmax_backward(
    weights: Float[np.ndarray, "*batch n"], d_weights: Float[np.ndarray, "*batch n"], axis: int = -1
) -> Float[np.ndarray, "*batch n"]:
    r"""Compute the gradient of a loss with respect to the scores, given the weights and their gradient.

    .. math::

        \bar z_i = a_i\Big(\bar a_i - \sum_j a_j\bar a_j\Big)

    The n x n Jacobian is never built, and the scores themselves are not needed. Along ``axis`` the gradient sums
    to 0. Weights and gradient of different shapes are a ValueError.

    Example:
        >>> softmax_backward(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
        array([ 0.25, -0.25])
    """
    require_float(weights=weights, d_weights=d_weights)
    if weights.shape != d_weights.shape:
        raise ValueError(f"d_weights {d_weights.shape} must have the shape of weights {weights.shape}")
    mean = (weights * d_weights).sum(axis=axis, keepdims=True)  # (..., 1)
    d_z: np.ndarray = weights * (d_weights - mean)  # (..., n)
    return d_z


def relu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    r"""Replace negative numbers by 0: :math:`\max(0, x)`.

    Source: Nair and Hinton (2010).

    Example:
        >>> relu(np.array([-2.0, 3.0]))
        array([0., 3.])
    """
    require_float(x=x)
    y: np.ndarray = np.maximum(x, 0)
    return y


def gelu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    r"""Multiply each number by the probability that a standard normal variable is smaller.

    .. math::

        \operatorname{gelu}(x) = x\,\Phi(x) = \frac x2\Big(1 + \operatorname{erf}\frac{x}{\sqrt 2}\Big)

    Source: Hendrycks and Gimpel (2016).

    Example:
        >>> gelu(np.array([-1.0, 1.0])).round(4)
        array([-0.1587,  0.8413])
    """
    require_float(x=x)
    from scipy.special import ndtr  # here, since importing SciPy takes longer than importing this package

    y: np.ndarray = x * ndtr(x)  # (...), Φ without the cancellation of 1 + erf on the left
    return y


def gelu_tanh(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    r"""Approximate ``gelu`` with a hyperbolic tangent, as GPT-2 does.

    .. math::

        \frac x2\Big(1 + \tanh\big(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\big)\Big)

    Source: Hendrycks and Gimpel (2016).

    Example:
        >>> gelu_tanh(np.array([-1.0, 1.0])).round(4)
        array([-0.1588,  0.8412])
    """
    require_float(x=x)
    # Squares, not powers: NumPy raises to the third power through a logarithm, ten times slower.
    inner = math.sqrt(2 / math.pi) * x * (1 + 0.044715 * (x * x))  # (...)
    y: np.ndarray = x * (0.5 * (1 + np.tanh(inner)))  # (...)
    return y


def silu(x: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    r"""Multiply each number by its logistic function: :math:`x / (1 + e^{-x})`, also called swish.

    Source: Hendrycks and Gimpel (2016); Ramachandran et al. (2017) as swish.

    Example:
        >>> silu(np.array([-1000.0, 0.0, 1000.0]))
        array([  -0.,    0., 1000.])
    """
    require_float(x=x)
    from scipy.special import expit

    y: np.ndarray = x * expit(x)  # (...)
    return y


def _shift(z: np.ndarray, axis: int) -> np.ndarray:
    """Subtract the maximum along an axis."""
    # The softmax stays the same, since numerator and denominator shrink by the same factor, and exp stays finite.
    highest = z.max(axis=axis, keepdims=True, initial=-np.inf)  # (..., 1)
    # A row of -inf has no finite maximum, and -inf - (-inf) is nan: it is not shifted.
    return z - np.where(np.isneginf(highest), 0, highest)  # (..., n)
