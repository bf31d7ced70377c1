"""Quantization: weights as 8-bit integers, with one scale per row."""

import numpy as np
from jaxtyping import Float, Int8

from clearformer.functional._checks import require_float

LARGEST = 127


def quantize(matrix: Float[np.ndarray, "n d"]) -> tuple[Int8[np.ndarray, "n d"], Float[np.ndarray, "n 1"]]:
    r"""Round each row to int8 numbers from -127 to 127 with its own scale, in float32.

    .. math::

        s_i = \max_j |W_{ij}| / 127, \qquad C_{ij} = \operatorname{round}(W_{ij} / s_i)

    No weight changes by more than half the scale, and the largest one of a row stays the same. A row of zeros
    gets scale 1. An array that is not a matrix, is empty, or holds NaN, infinity or a number too large for float32 is a
    ValueError.

    Source: Wu et al. (2020), symmetric quantization by channel.

    Example:
        >>> codes, scale = quantize(np.array([[1.0, -2.54, 0.3], [0.0, 0.0, 0.0]]))
        >>> codes, scale.round(2)
        (array([[  50, -127,   15],
               [   0,    0,    0]], dtype=int8), array([[0.02],
               [1.  ]], dtype=float32))
    """
    require_float(matrix=matrix)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"matrix must be (n, d) with a number at least, got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{np.sum(~np.isfinite(matrix))} of {matrix.size} weights are NaN or infinite")
    largest = np.abs(matrix).max(axis=1, keepdims=True)  # (n, 1)
    if largest.max() / LARGEST > np.finfo(np.float32).max:
        raise ValueError(f"weights up to {largest.max():g} are too large for a step in float32")
    scale = (largest / LARGEST).astype(np.float32)  # (n, 1)
    scale[scale < np.finfo(np.float32).tiny] = 1  # a row of zeros, or of numbers too small for a scale
    return np.clip(np.rint(matrix / scale), -LARGEST, LARGEST).astype(np.int8), scale


def dequantize(codes: Int8[np.ndarray, "n d"], scale: Float[np.ndarray, "n 1"]) -> Float[np.ndarray, "n d"]:
    r"""Return the weights that integers and scales represent, as float32.

    .. math::

        W_{ij} \approx s_i\,C_{ij}

    Example:
        >>> dequantize(np.array([[50, -127]], dtype=np.int8), np.array([[0.5]], dtype=np.float32))
        array([[ 25. , -63.5]], dtype=float32)
    """
    weights: np.ndarray = codes.astype(np.float32) * scale  # (n, d)
    return weights
