"""Schedules: the learning rate of each step, counted from 0."""

import math
from collections.abc import Callable

Schedule = Callable[[int], float]


def warmup_cosine(peak: float, warmup: int, steps: int, *, floor: float = 0.1) -> Schedule:
    r"""Return a schedule with linear warm-up followed by cosine decay.

    .. math::

        \eta(i) = \eta_\text{peak}\cdot\begin{cases} (i + 1) / w & i < w \\
        f + \tfrac{1 - f}{2}\big(1 + \cos\pi\tfrac{i - w}{n - w}\big) & i \ge w \end{cases}

    Args:
        peak: The highest learning rate.
        warmup: Number of warm-up steps.
        steps: Number of steps in all; after them the rate stays at the floor.
        floor: Final learning rate as a fraction of the peak.

    Raises:
        ValueError: the peak is not positive and finite, or the warm-up is longer than all steps.

    Source: Loshchilov and Hutter (2017), eq. 5, for the cosine.

    Example:
        >>> rate = warmup_cosine(1.0, 2, 10)
        >>> [round(rate(i), 2) for i in (0, 1, 2, 6, 10)]
        [0.5, 1.0, 1.0, 0.55, 0.1]
    """
    if not 0 < peak < math.inf or not 0 <= warmup <= steps or steps < 1:
        raise ValueError(f"peak={peak} must be positive and finite, and warmup={warmup} between 0 and steps={steps}")

    def rate(step: int) -> float:
        if step < warmup:
            return peak * (step + 1) / warmup
        done = (step - warmup) / (steps - warmup) if step < steps else 1.0
        return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * done)))

    return rate


def inverse_square_root(d_model: int, warmup: int) -> Schedule:
    r"""Return a schedule with linear warm-up followed by decay with the inverse square root of the step.

    .. math::

        \eta(i) = \frac{1}{\sqrt{d_\text{model}}}\cdot\min\Big(\frac{1}{\sqrt{i + 1}},\ \frac{i + 1}{w^{3/2}}\Big)

    The rate is highest at step :math:`w - 1`, where both terms are equal. The total number of steps need not be known.

    Args:
        d_model: Width of the model: a wider one takes smaller steps.
        warmup: Number of warm-up steps.

    Raises:
        ValueError: ``d_model`` or ``warmup`` is below 1.

    Source: Vaswani et al. (2017), eq. 3, which counts steps from 1.

    Example:
        >>> rate = inverse_square_root(d_model=4, warmup=4)
        >>> [rate(i) for i in (0, 1, 3, 15)]
        [0.0625, 0.125, 0.25, 0.125]
    """
    if d_model < 1 or warmup < 1:
        raise ValueError(f"d_model={d_model} and warmup={warmup} must be at least 1")
    return lambda step: d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)
