"""Optimizers: how a training step changes a parameter, given the gradient of the loss.

Each returns the parameter and its running statistics after the step; before the first step these are zeros. An array
that does not hold floats is a TypeError; shapes that differ and settings out of range are a ValueError.
"""

import math

import numpy as np
from jaxtyping import Float

from clearformer.functional._checks import require_float

Array = Float[np.ndarray, "*shape"]


def momentum_step(parameter: Array, gradient: Array, velocity: Array, *, lr: float, beta: float) -> tuple[Array, Array]:
    r"""Take a step of gradient descent with momentum, at learning rate :math:`\eta`.

    .. math::

        u' = \beta\,u + g, \qquad \theta' = \theta - \eta\,u'

    With :math:`\beta = 0` this is gradient descent. If the gradient stays constant, steps grow up to
    :math:`\eta / (1 - \beta)` times the gradient.

    Source: Polyak (1964).

    Example:
        >>> theta, velocity = np.array([4.0]), np.array([2.0])
        >>> momentum_step(theta, np.array([1.0]), velocity, lr=0.5, beta=0.5)
        (array([3.]), array([2.]))
    """
    _require_arrays(parameter=parameter, gradient=gradient, velocity=velocity)
    _require_rates(lr, beta=beta)
    velocity = beta * velocity + gradient
    return parameter - lr * velocity, velocity


def adam_step(
    parameter: Array,
    gradient: Array,
    m: Array,
    v: Array,
    step: int,
    *,
    lr: float,
    beta_1: float,
    beta_2: float,
    eps: float,
) -> tuple[Array, Array, Array]:
    r"""Take step number :math:`n`, from 1, of Adam: along the mean of the gradients, divided by their running size.

    .. math::

        m' = \beta_1 m + (1 - \beta_1)\,g, \qquad v' = \beta_2 v + (1 - \beta_2)\,g^2, \qquad
        \theta' = \theta - \eta\,\frac{m' / (1 - \beta_1^n)}{\sqrt{v' / (1 - \beta_2^n)} + \epsilon}

    Both means start at 0, and the divisions by :math:`1 - \beta^n` correct this bias. With :math:`\epsilon` a
    gradient of 0 changes nothing.

    Source: Kingma and Ba (2015), algorithm 1.

    Example:
        >>> theta, none, rates = np.array([4.0]), np.zeros(1), {"beta_1": 0.9, "beta_2": 0.99, "eps": 0.0}
        >>> theta, m, v = adam_step(theta, np.array([30.0]), none, none, 1, lr=0.5, **rates)
        >>> theta.round(6), m.round(6), v.round(6)  # the first step has the size of lr, whatever the gradient
        (array([3.5]), array([3.]), array([9.]))
    """
    _require_arrays(parameter=parameter, gradient=gradient, m=m, v=v)
    if step < 1:
        raise ValueError(f"step={step}: steps count from 1")
    _require_rates(lr, beta_1=beta_1, beta_2=beta_2)
    _require_not_negative(eps=eps)
    m = beta_1 * m + (1 - beta_1) * gradient
    v = beta_2 * v + (1 - beta_2) * gradient * gradient
    m_hat, v_hat = m / (1 - beta_1**step), v / (1 - beta_2**step)
    return parameter - lr * m_hat / (np.sqrt(v_hat) + eps), m, v


def adamw_step(
    parameter: Array, gradient: Array, m: Array, v: Array, step: int, *, lr: float, weight_decay: float, **rates: float
) -> tuple[Array, Array, Array]:
    r"""Take a step of Adam with the rates of ``adam_step``, and pull the parameter toward 0.

    .. math::

        \theta' = \operatorname{Adam}(\theta, g) - \eta\,\lambda\,\theta

    The decay :math:`\lambda` acts on the parameter directly, not through the gradient on the means.

    Source: Loshchilov and Hutter (2019).

    Example:
        >>> theta, none, rates = np.array([4.0]), np.zeros(1), {"beta_1": 0.9, "beta_2": 0.99, "eps": 0.0}
        >>> theta, m, v = adamw_step(theta, np.array([30.0]), none, none, 1, lr=0.5, weight_decay=0.1, **rates)
        >>> theta.round(6), m.round(6), v.round(6)
        (array([3.3]), array([3.]), array([9.]))
    """
    _require_not_negative(weight_decay=weight_decay)
    moved, m, v = adam_step(parameter, gradient, m, v, step, lr=lr, **rates)
    return moved - lr * weight_decay * parameter, m, v


def _require_arrays(parameter: np.ndarray, **others: np.ndarray) -> None:
    """Refuse arrays that do not hold floats or do not have the shape of the parameter."""
    require_float(parameter=parameter, **others)
    for name, array in others.items():
        if array.shape != parameter.shape:
            raise ValueError(f"{name} {array.shape} must have the shape of its parameter {parameter.shape}")


def _require_rates(lr: float, **betas: float) -> None:
    """Refuse a learning rate or a decay rate that is out of range."""
    if not 0 < lr < math.inf:
        raise ValueError(f"lr={lr} must be positive and finite")
    for name, beta in betas.items():
        if not 0 <= beta < 1:
            raise ValueError(f"{name}={beta} must lie between 0 and below 1")


def _require_not_negative(**values: float) -> None:
    for name, value in values.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name}={value} must be finite and not negative")
