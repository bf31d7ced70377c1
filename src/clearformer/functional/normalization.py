"""Normalization to mean 0 and variance 1, over the features of a token or over a batch.

An array that does not hold floats is a TypeError. A vector without one number for each feature or a negative eps,
which is added to variances so that equal numbers do not give 0 / 0, is a ValueError.
"""

import math

import numpy as np
from jaxtyping import Float

from clearformer.functional._checks import require_float

Rows = Float[np.ndarray, "*batch d"]
Features = Float[np.ndarray, " d"]


def layer_norm(x: Rows, gamma: Features, beta: Features, eps: float = 1e-5) -> Rows:
    r"""Normalize each row to mean 0 and variance 1 over its features, then scale and shift each feature.

    .. math::

        y_a = \gamma_a\,\hat x_a + \beta_a, \qquad \hat x_a = \frac{x_a - \mu}{\sqrt{\sigma^2 + \epsilon}}, \qquad
        \mu = \frac1d\sum_a x_a, \qquad \sigma^2 = \frac1d\sum_a (x_a - \mu)^2

    Source: Ba et al. (2016), eqs. 3 and 4, which leave eps out.

    Example:
        >>> layer_norm(np.array([[1.0, 3.0], [10.0, 30.0]]), np.array([1.0, 2.0]), np.zeros(2), eps=0.0)
        array([[-1.,  2.],
               [-1.,  2.]])
    """
    require_float(x=x, gamma=gamma, beta=beta)
    _require_features(x, eps, gamma=gamma, beta=beta)
    x_hat, _ = _standardize(x, eps)  # (..., d)
    output: np.ndarray = gamma * x_hat + beta  # (..., d)
    return output


def layer_norm_backward(d_output: Rows, x: Rows, gamma: Features, eps: float = 1e-5) -> tuple[Rows, Features, Features]:
    r"""Compute the gradients of a loss with respect to the input, gain and bias of layer normalization.

    With :math:`\bar{\hat x} = \gamma\,\bar y` and means over the features of a row:

    .. math::

        \bar x = \frac{1}{\sqrt{\sigma^2 + \epsilon}}
        \Big(\bar{\hat x} - \langle\bar{\hat x}\rangle - \hat x\,\langle\hat x\,\bar{\hat x}\rangle\Big), \qquad
        \bar\gamma = \sum_t \bar y_t\,\hat x_t, \qquad \bar\beta = \sum_t \bar y_t

    Example:
        >>> d_x, d_gamma, d_beta = layer_norm_backward(np.array([[0.0, 1.0]]), np.array([[1.0, 3.0]]), np.ones(2), 0.0)
        >>> d_x, d_gamma, d_beta  # with two features only their order counts: the gradient of x is 0
        (array([[0., 0.]]), array([0., 1.]), array([0., 1.]))
    """
    require_float(d_output=d_output, x=x, gamma=gamma)
    _require_features(x, eps, gamma=gamma)
    if d_output.shape != x.shape:
        raise ValueError(f"d_output {d_output.shape} must have the shape of the output {x.shape}")
    x_hat, inverse = _standardize(x, eps)  # (..., d), (..., 1)
    rows = tuple(range(x.ndim - 1))
    d_beta = d_output.sum(axis=rows)  # (d,)
    d_gamma = (d_output * x_hat).sum(axis=rows)  # (d,)
    d_x_hat = gamma * d_output  # (..., d)
    # Shifting a row changes nothing, nor (apart from eps) does scaling it: both directions have gradient 0.
    shift = d_x_hat.mean(axis=-1, keepdims=True)  # (..., 1)
    stretch = (x_hat * d_x_hat).mean(axis=-1, keepdims=True)  # (..., 1)
    d_x = inverse * (d_x_hat - shift - x_hat * stretch)  # (..., d)
    return d_x, d_gamma, d_beta


def rms_norm(x: Rows, gamma: Features, eps: float = 1e-5) -> Rows:
    r"""Normalize each row to mean square 1 over its features, then scale each feature; no mean is subtracted.

    .. math::

        y_a = \gamma_a\,\frac{x_a}{\sqrt{\frac1d\sum_b x_b^2 + \epsilon}}

    Source: Zhang and Sennrich (2019), eq. 4, which leaves eps out.

    Example:
        >>> rms_norm(np.array([[1.0, 7.0]]), np.array([5.0, 5.0]), eps=0.0)  # the root of (1 + 49) / 2 is 5
        array([[1., 7.]])
    """
    require_float(x=x, gamma=gamma)
    _require_features(x, eps, gamma=gamma)
    mean_square = (x * x).mean(axis=-1, keepdims=True)  # (..., 1)
    output: np.ndarray = gamma * x / np.sqrt(mean_square + eps)  # (..., d)
    return output


def batch_norm(x: Rows, gamma: Features, beta: Features, mean: Features, var: Features, eps: float = 1e-5) -> Rows:
    r"""Normalize each feature with the given statistics, those of training: batch normalization after training.

    .. math::

        y_{na} = \gamma_a\,\frac{x_{na} - \mu_a}{\sqrt{\sigma_a^2 + \epsilon}} + \beta_a

    Rows are independent of each other. A negative variance is a ValueError.

    Source: Ioffe and Szegedy (2015), algorithm 2.

    Example:
        >>> batch_norm(np.array([[5.0]]), np.ones(1), np.zeros(1), np.array([1.0]), np.array([4.0]), eps=0.0)
        array([[2.]])
    """
    require_float(x=x, gamma=gamma, beta=beta, mean=mean, var=var)
    _require_features(x, eps, gamma=gamma, beta=beta, mean=mean, var=var)
    if (var < 0).any():
        raise ValueError(f"var must not be negative, got {var.min()}")
    output: np.ndarray = gamma * (x - mean) / np.sqrt(var + eps) + beta  # (..., d)
    return output


def batch_norm_training(
    x: Rows,
    gamma: Features,
    beta: Features,
    running_mean: Features,
    running_var: Features,
    *,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[Rows, Features, Features]:
    r"""Normalize each feature by its mean and variance in this batch, and update the running statistics.

    .. math::

        \mu_a = \frac1N\sum_n x_{na}, \quad \sigma_a^2 = \frac1N\sum_n (x_{na} - \mu_a)^2, \quad
        \mu'_a = (1 - m)\,\mu'_a + m\,\mu_a, \quad v'_a = (1 - m)\,v'_a + m\,\tfrac{N}{N - 1}\,\sigma_a^2

    All leading axes together are the batch of N rows, and the momentum m is the weight of this batch in the running
    statistics. Fewer than two rows, or a momentum that is not between 0 and 1, are a ValueError.

    Returns:
        The normalized rows, (..., d), and the new running mean and variance, (d,) each. The rows are divided by
        the variance with 1 / N, but the running one is unbiased, with 1 / (N - 1), as in PyTorch.

    Source: Ioffe and Szegedy (2015), algorithms 1 and 2.

    Example:
        >>> x = np.array([[1.0], [3.0]])
        >>> batch_norm_training(x, np.ones(1), np.zeros(1), np.zeros(1), np.ones(1), momentum=0.5, eps=0.0)
        (array([[-1.],
               [ 1.]]), array([1.]), array([1.5]))
    """
    require_float(x=x, gamma=gamma, beta=beta, running_mean=running_mean, running_var=running_var)
    _require_features(x, eps, gamma=gamma, beta=beta, running_mean=running_mean, running_var=running_var)
    if not 0 <= momentum <= 1:
        raise ValueError(f"momentum={momentum} must lie between 0 and 1")
    rows = tuple(range(x.ndim - 1))
    N = math.prod(x.shape[:-1])
    if x.ndim < 2 or N < 2:
        raise ValueError(f"a batch needs two rows or more to have a variance, got x {x.shape}")
    mean, var = x.mean(axis=rows), x.var(axis=rows)  # (d,) each
    output = batch_norm(x, gamma, beta, mean, var, eps)  # (..., d)
    new_mean = (1 - momentum) * running_mean + momentum * mean  # (d,)
    new_var = (1 - momentum) * running_var + momentum * var * (N / (N - 1))  # (d,)
    return output, new_mean, new_var


def _standardize(
    x: Float[np.ndarray, "*batch d"], eps: float
) -> tuple[Float[np.ndarray, "*batch d"], Float[np.ndarray, "*batch 1"]]:
    """Return rows of mean 0 and variance 1, and their factors."""
    centered = x - x.mean(axis=-1, keepdims=True)  # (..., d)
    variance = (centered * centered).mean(axis=-1, keepdims=True)  # (..., 1)
    inverse = 1 / np.sqrt(variance + eps)  # (..., 1)
    return centered * inverse, inverse


def _require_features(x: np.ndarray, eps: float, **vectors: np.ndarray) -> None:
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"x needs a last axis with at least one feature, got shape {x.shape}")
    for name, vector in vectors.items():
        if vector.shape != x.shape[-1:]:
            raise ValueError(f"{name} {vector.shape} must have one number for each of the {x.shape[-1]} features of x")
    if not eps >= 0:
        raise ValueError(f"eps={eps} must not be negative")
