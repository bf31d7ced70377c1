"""Positional encodings: added to token vectors, or applied to queries and keys as rotations."""

import math
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from clearformer.functional._checks import require_broadcast, require_float, require_integers

Layout = Literal["half", "interleaved"]


def sinusoidal_encoding(T: int, d_model: int, base: float = 10000.0) -> Float[np.ndarray, "T d_model"]:
    r"""Return sines and cosines of ``d_model / 2`` angles that grow with the position at different speeds, in float64.

    .. math::

        PE_{p,2i} = \sin(p\,\omega_i), \qquad PE_{p,2i+1} = \cos(p\,\omega_i), \qquad
        \omega_i = \text{base}^{-2i/d_\text{model}}

    ``base`` is the approximate ratio of the fastest to the slowest angle: ``i`` stops one step before it is reached. A
    negative ``T``, an odd ``d_model`` or one below 2, and a base that is not a positive number are a ValueError.

    Source: Vaswani et al. (2017), section 3.5.

    Example:
        >>> sinusoidal_encoding(2, 4, base=100.0).round(3)
        array([[0.   , 1.   , 0.   , 1.   ],
               [0.841, 0.54 , 0.1  , 0.995]])
    """
    if T < 0:
        raise ValueError(f"T={T} positions: need 0 or more")
    omega = _frequencies("d_model", d_model, base)  # (d_model / 2,)
    angles = np.arange(T)[:, None] * omega  # (T, d_model / 2)
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return pairs.reshape(T, d_model)


def rotary_encoding(
    x: Float[np.ndarray, "*batch T d_k"],
    positions: Int[np.ndarray, "..."],
    *,
    base: float = 10000.0,
    layout: Layout = "half",
) -> Float[np.ndarray, "*batch T d_k"]:
    r"""Rotate each pair of features of a query or key by an angle that grows with its position.

    .. math::

        \begin{pmatrix} y_a \\ y_b \end{pmatrix} =
        \begin{pmatrix} \cos p\omega_i & -\sin p\omega_i \\ \sin p\omega_i & \cos p\omega_i \end{pmatrix}
        \begin{pmatrix} x_a \\ x_b \end{pmatrix}, \qquad \omega_i = \text{base}^{-2i/d_k}

    If queries **and** keys are rotated, their dot products depend only on the difference of positions. A model must
    keep the layout it was trained with: pair ``i`` is ``(a, b) = (2i, 2i + 1)`` when ``"interleaved"`` and
    ``(i, i + d_k / 2)`` when ``"half"``.

    The positions are integers that broadcast to (..., T). The result has the dtype of ``x``; the angles are computed
    in float64. An odd ``d_k``, positions that do not fit, and an unknown layout are a ValueError.

    Source: Su et al. (2024), eq. 34, for interleaved pairs.

    Example:
        >>> rotary_encoding(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 3])).round(3)  # by 0 and 3 radians
        array([[ 1.   ,  0.   ],
               [-0.99 ,  0.141]])
    """
    require_float(x=x)
    if x.ndim < 2:
        raise ValueError(f"x needs two axes or more (positions, features), got shape {x.shape}")
    require_integers("positions", positions)
    require_broadcast("positions", positions, f"the rows {x.shape[:-1]} of x", x.shape[:-1])
    omega = _frequencies("d_k", x.shape[-1], base)  # (d_k / 2,)
    angles = positions[..., None] * omega  # (..., T, d_k / 2)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    if layout == "half":
        half = x.shape[-1] // 2
        a, b = x[..., :half], x[..., half:]  # (..., T, d_k / 2) each
        turned = a * cos - b * sin, a * sin + b * cos
        return np.concatenate(turned, axis=-1)  # (..., T, d_k)
    if layout == "interleaved":
        a, b = x[..., ::2], x[..., 1::2]  # (..., T, d_k / 2) each
        turned = a * cos - b * sin, a * sin + b * cos
        return np.stack(turned, axis=-1).reshape(x.shape)  # (..., T, d_k)
    raise ValueError(f"layout={layout!r} is none of 'half', 'interleaved'")


def _frequencies(name: str, width: int, base: float) -> Float[np.ndarray, " pairs"]:
    """Return the angle per position of each pair of features."""
    if width < 2 or width % 2:
        raise ValueError(f"{name}={width} must be even and at least 2: features come in pairs")
    if not 0 < base < math.inf:
        raise ValueError(f"base={base} must be a positive number")
    return base ** (-np.arange(0, width, 2) / width)  # (width / 2,)
