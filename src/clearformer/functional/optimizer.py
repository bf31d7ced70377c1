"""Optimizers: how a step of training changes a parameter, given the gradient of the loss."""

import numpy as np
from jaxtyping import Float

from clearformer.functional._checks import require_float


def adamw_step(
    parameter: Float[np.ndarray, "*shape"],
    gradient: Float[np.ndarray, "*shape"],
    m: Float[np.ndarray, "*shape"],
    v: Float[np.ndarray, "*shape"],
    step: int,
    *,
    lr: float,
    beta_1: float,
    beta_2: float,
    eps: float,
    weight_decay: float,
) -> tuple[Float[np.ndarray, "*shape"], Float[np.ndarray, "*shape"], Float[np.ndarray, "*shape"]]:
    r"""Move a parameter against the running mean of its gradients, in units of their running size.

    .. math::

        m' = \beta_1 m + (1 - \beta_1)\,g, \qquad v' = \beta_2 v + (1 - \beta_2)\,g^2, \qquad
        \theta' = \theta - \eta\Big(\frac{m' / (1 - \beta_1^n)}{\sqrt{v' / (1 - \beta_2^n)} + \epsilon}
        + \lambda\,\theta\Big)

    Both means start at 0, and the divisions by :math:`1 - \beta^n` make up for that. The decay :math:`\lambda`
    pulls at the parameter itself and not, through the gradient, at the means.

    Args:
        parameter: :math:`\theta`, any shape.
        gradient: Of the loss by the parameter.
        m: Running mean of the gradients; zeros before the first step.
        v: Running mean of their squares; zeros before the first step.
        step: Number of this step, :math:`n`, from 1.
        lr: Learning rate :math:`\eta`.
        beta_1: Share of the mean that is kept, from 0 to below 1.
        beta_2: Share of the mean of the squares that is kept.
        eps: Added to the root, so that a gradient of 0 moves nothing.
        weight_decay: :math:`\lambda`.

    Returns:
        The parameter and the two means after the step.

    Raises:
        TypeError: an array does not hold floats.
        ValueError: the shapes differ, ``step`` is not positive, or a mean keeps all or less than nothing.

    Source: Kingma and Ba (2015), algorithm 1; Loshchilov and Hutter (2019) for the decay.

    Example:
        >>> theta, none, rates = np.array([4.0]), np.zeros(1), {"beta_1": 0.9, "beta_2": 0.99, "eps": 0.0}
        >>> theta, m, v = adamw_step(theta, np.array([30.0]), none, none, 1, lr=0.5, weight_decay=0.1, **rates)
        >>> theta.round(6), m.round(6), v.round(6)  # the first step has the size of lr, whatever the gradient
        (array([3.3]), array([3.]), array([9.]))
    """
    arrays = {"parameter": parameter, "gradient": gradient, "m": m, "v": v}
    require_float(**arrays)
    for name, array in arrays.items():
        if array.shape != parameter.shape:
            raise ValueError(f"{name} {array.shape} must have the shape of its parameter {parameter.shape}")
    if step < 1:
        raise ValueError(f"step={step}: steps count from 1")
    for name, beta in (("beta_1", beta_1), ("beta_2", beta_2)):
        if not 0 <= beta < 1:
            raise ValueError(f"{name}={beta} must lie between 0 and below 1")

    m = beta_1 * m + (1 - beta_1) * gradient
    v = beta_2 * v + (1 - beta_2) * gradient * gradient
    m_hat, v_hat = m / (1 - beta_1**step), v / (1 - beta_2**step)
    change = m_hat / (np.sqrt(v_hat) + eps) + weight_decay * parameter
    return parameter - lr * change, m, v
