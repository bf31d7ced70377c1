"""Position biases: numbers that attention adds to its scores, depending on the distance of key and query.

With more keys than queries the queries are the last ``T`` of the ``S`` positions, as in ``causal_mask``; fewer keys
than queries are a ValueError.
"""

import math

import numpy as np
from jaxtyping import Float, Int

from clearformer.functional._checks import key_positions, require_float, require_integers


def alibi_bias(n_heads: int, T: int, S: int | None = None) -> Float[np.ndarray, "n_heads T S"]:
    r"""Compute the biases of attention with linear biases (ALiBi): the farther a key, the lower its score.

    .. math::

        b_{hts} = -m_h\,|t - s|, \qquad m_h = 2^{-8h/H}, \quad h = 1, \dots, H

    If the number of heads is not a power of two, :math:`H` is the next smaller one, and the remaining heads take
    slopes in between: :math:`m = 2^{-8h/H}` with :math:`h = 1/2, 3/2, \dots` Without a head there is a ValueError.

    The bias, in float64, masks nothing: a decoder needs a causal mask as well.

    Source: Press et al. (2022), section 3, and their code if the number of heads is not a power of two.

    Example:
        >>> alibi_bias(2, 3)[0]
        array([[-0.    , -0.0625, -0.125 ],
               [-0.0625, -0.    , -0.0625],
               [-0.125 , -0.0625, -0.    ]])
    """
    if n_heads < 1:
        raise ValueError(f"n_heads={n_heads} must be at least 1")
    H = 2 ** (n_heads.bit_length() - 1)
    h = np.concatenate([np.arange(1, H + 1), np.arange(n_heads - H) + 0.5])  # (n_heads,)
    slopes = 2.0 ** (-8 * h / H)  # (n_heads,)
    bias: np.ndarray = -slopes[:, None, None] * np.abs(_steps(T, S))  # (n_heads, T, S)
    return bias


def relative_buckets(
    T: int, S: int | None = None, *, n_buckets: int, max_distance: int, bidirectional: bool
) -> Int[np.ndarray, "T S"]:
    r"""Assign each pair of a query and a key to a bucket by distance: exact for short ones, coarse for long ones.

    With :math:`n` buckets for one direction and :math:`e = \lfloor n / 2\rfloor` of them for a single distance
    each, a key :math:`d` positions away falls into bucket

    .. math::

        r(d) = \begin{cases} d & d < e \\
        \min\Big(n - 1,\; e + \Big\lfloor (n - e)\,\frac{\ln(d / e)}{\ln(d_\text{max} / e)}\Big\rfloor\Big) &
        d \ge e \end{cases}

    If bidirectional, one half of the buckets is for the query itself and keys before it, the other for keys after
    it. Otherwise, as in a decoder, keys after the query count as distance 0: the mask hides them. Too few buckets, an
    odd number for two directions, and a ``max_distance`` that has its own bucket are a ValueError.

    Source: Raffel et al. (2020), section 2.1, and their code.

    Example:
        >>> relative_buckets(2, 10, n_buckets=8, max_distance=16, bidirectional=False)
        array([[6, 5, 5, 4, 4, 3, 2, 1, 0, 0],
               [6, 6, 5, 5, 4, 4, 3, 2, 1, 0]])
    """
    n, odd = divmod(n_buckets, 2) if bidirectional else (n_buckets, 0)
    if n < 2 or odd:
        raise ValueError(
            f"n_buckets={n_buckets} with bidirectional={bidirectional} must give 2 or more to each direction"
        )
    e = n // 2
    if max_distance <= e:
        raise ValueError(f"max_distance={max_distance} must be more than the {e} distances with a bucket each")
    steps = _steps(T, S)  # (T, S)
    d = np.abs(steps) if bidirectional else np.maximum(-steps, 0)  # (T, S)
    fraction = np.log(np.maximum(d, e) / e) / math.log(max_distance / e)
    # 1e-6 keeps rounding from pushing a whole number one bucket back.
    far = e + np.floor((n - e) * fraction + 1e-6).astype(int)  # (T, S)
    buckets = np.where(d < e, d, np.minimum(far, n - 1))  # (T, S)
    after = n if bidirectional else 0  # the first bucket of keys after the query
    shifted: np.ndarray = buckets + after * (steps > 0)  # (T, S)
    return shifted


def position_bias(
    table: Float[np.ndarray, "n_buckets n_heads"], buckets: Int[np.ndarray, "T S"]
) -> Float[np.ndarray, "n_heads T S"]:
    r"""Look up the bias of each head for each pair of positions: :math:`w_{hts} = R_{r_{ts},\,h}`.

    An array that is not a matrix, and a bucket that is not in the table, are a ValueError.

    Source: Raffel et al. (2020), section 2.1.

    Example:
        >>> position_bias(np.array([[0.0], [0.5], [2.0]]), np.array([[0, 2], [1, 0]]))
        array([[[0. , 2. ],
                [0.5, 0. ]]])
    """
    require_float(table=table)
    require_integers("buckets", buckets)
    if table.ndim != 2 or buckets.ndim != 2:
        raise ValueError(f"table {table.shape} must be (n_buckets, n_heads), buckets {buckets.shape} (T, S)")
    wrong = buckets[(buckets < 0) | (buckets >= len(table))]
    if wrong.size:
        raise ValueError(f"buckets must lie between 0 and n_buckets - 1 = {len(table) - 1}, got {wrong[0]}")
    return np.moveaxis(table[buckets], -1, 0)  # (n_heads, T, S)


def _steps(T: int, S: int | None) -> Int[np.ndarray, "T S"]:
    """Return the signed distance from each query to each key, negative for earlier keys."""
    keys = key_positions(T, S)  # (S,)
    steps: np.ndarray = keys - keys[len(keys) - T :, None]  # (T, S)
    return steps
