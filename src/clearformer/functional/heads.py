"""Multi-head attention: attention in parallel subspaces, whose outputs are added up."""

import numpy as np
from jaxtyping import Bool, Float

from clearformer.functional._checks import bias_or_zeros, require_float
from clearformer.functional.attention import scaled_dot_product_attention


def multi_head_attention(
    x_q: Float[np.ndarray, "*batch T d_model"],
    x_kv: Float[np.ndarray, "*batch S d_model_kv"],
    w_q: Float[np.ndarray, "d_model heads_d_k"],
    w_k: Float[np.ndarray, "d_model_kv kv_heads_d_k"],
    w_v: Float[np.ndarray, "d_model_kv kv_heads_d_v"],
    w_o: Float[np.ndarray, "heads_d_v d_output"],
    *,
    n_heads: int,
    n_kv_heads: int | None = None,
    mask: Bool[np.ndarray, "..."] | None = None,
    position_bias: Float[np.ndarray, "..."] | None = None,
    b_q: Float[np.ndarray, " heads_d_k"] | None = None,
    b_k: Float[np.ndarray, " kv_heads_d_k"] | None = None,
    b_v: Float[np.ndarray, " kv_heads_d_v"] | None = None,
    b_o: Float[np.ndarray, " d_output"] | None = None,
) -> tuple[Float[np.ndarray, "*batch T d_output"], Float[np.ndarray, "*batch n_heads T S"]]:
    r"""Compute attention in several heads, each with its own weights, and project the concatenated outputs.

    .. math::

        \operatorname{MultiHead}(X, X') = \operatorname{Concat}(Y_1, \dots, Y_h)\,W_O, \qquad
        Y_i = \operatorname{Attention}(X W_Q^{(i)}, X' W_K^{(i)}, X' W_V^{(i)})

    Head i has columns :math:`i d_k` to :math:`(i+1) d_k` of a projection; biases are added to the projections. With
    ``x_kv = x_q`` this is self-attention. With fewer key-value heads, ``n_heads / n_kv_heads`` neighboring query
    heads share one (grouped-query attention); with a single one, all do (multi-query attention). Mask and position
    bias, and the errors, are those of ``scaled_dot_product_attention``, for scores of (..., n_heads, T, S); numbers of
    heads that do not fit the weights are a ValueError.

    Returns:
        The output, (..., T, d_output), and the weights of each head, (..., n_heads, T, S).

    Source: Vaswani et al. (2017), section 3.2.2; Shazeer (2019) and Ainslie et al. (2023) for shared heads.

    Example:
        >>> x, flat, same = np.array([[1.0, 2.0], [3.0, 6.0]]), np.zeros((2, 2)), np.eye(2)
        >>> multi_head_attention(x, x, flat, flat, same, same, n_heads=2)[0]
        array([[2., 4.],
               [2., 4.]])
    """
    require_float(x_q=x_q, x_kv=x_kv, w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o)
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    _require_weights(x_q, x_kv, [w_q, w_k, w_v, w_o], n_heads, n_kv_heads)
    b_q, b_k = bias_or_zeros("b_q", b_q, w_q), bias_or_zeros("b_k", b_k, w_k)
    b_v, b_o = bias_or_zeros("b_v", b_v, w_v), bias_or_zeros("b_o", b_o, w_o)

    q = split_heads(x_q @ w_q + b_q, n_heads)  # (..., n_heads, T, d_k)
    k = split_heads(x_kv @ w_k + b_k, n_kv_heads)  # (..., n_kv_heads, S, d_k)
    v = split_heads(x_kv @ w_v + b_v, n_kv_heads)  # (..., n_kv_heads, S, d_v)
    # Each query head gets its own copy of the key-value head that it shares.
    k, v = (np.repeat(x, n_heads // n_kv_heads, axis=-3) for x in (k, v))
    output, weights = scaled_dot_product_attention(
        q, k, v, mask, position_bias=position_bias
    )  # (..., n_heads, T, d_v), (..., n_heads, T, S)
    return merge_heads(output) @ w_o + b_o, weights  # (..., T, d_output)


def split_heads(x: Float[np.ndarray, "*batch T width"], n_heads: int) -> Float[np.ndarray, "*batch n_heads T d_k"]:
    """Split the features of each position, (..., T, n_heads * d_k), into one piece per head, (..., n_heads, T, d_k).

    Features that cannot be divided evenly are a ValueError.

    Example:
        >>> split_heads(np.array([[1.0, 2.0, 3.0, 4.0]]), 2)
        array([[[1., 2.]],
        <BLANKLINE>
               [[3., 4.]]])
    """
    if x.ndim < 2 or n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(f"x {x.shape} must be (..., T, width) with a width that n_heads={n_heads} divides")
    pieces = x.reshape(*x.shape[:-1], n_heads, x.shape[-1] // n_heads)  # (..., T, n_heads, d_k)
    return pieces.swapaxes(-2, -3)  # (..., n_heads, T, d_k)


def merge_heads(x: Float[np.ndarray, "*batch n_heads T d_v"]) -> Float[np.ndarray, "*batch T width"]:
    """Concatenate the features of all heads, the inverse of ``split_heads``; fewer than three axes are a ValueError.

    Example:
        >>> merge_heads(np.array([[[1.0, 2.0]], [[3.0, 4.0]]]))
        array([[1., 2., 3., 4.]])
    """
    if x.ndim < 3:
        raise ValueError(f"x {x.shape} must be (..., n_heads, T, d_v)")
    side_by_side = x.swapaxes(-2, -3)  # (..., T, n_heads, d_v)
    # The width is computed, since -1 fails if there are no positions.
    return side_by_side.reshape(*side_by_side.shape[:-2], x.shape[-3] * x.shape[-1])  # (..., T, n_heads * d_v)


def _require_weights(
    x_q: np.ndarray, x_kv: np.ndarray, weights: list[np.ndarray], n_heads: int, n_kv_heads: int
) -> None:
    w_q, w_k, w_v, w_o = weights
    if n_heads < 1 or n_kv_heads < 1:
        raise ValueError(f"n_heads={n_heads} and n_kv_heads={n_kv_heads} must be at least 1")
    if n_heads % n_kv_heads:
        raise ValueError(f"n_heads={n_heads} must be a multiple of n_kv_heads={n_kv_heads}")
    for name, x in (("x_q", x_q), ("x_kv", x_kv)):
        if x.ndim < 2:
            raise ValueError(f"{name} needs two axes or more (positions, features), got shape {x.shape}")
    query, shared = ("n_heads", n_heads), ("n_kv_heads", n_kv_heads)
    for name, x, w, (heads, n) in (("w_q", x_q, w_q, query), ("w_k", x_kv, w_k, shared), ("w_v", x_kv, w_v, shared)):
        if w.ndim != 2 or w.shape[0] != x.shape[-1]:
            raise ValueError(f"{name} {w.shape} must have as many rows as its input {x.shape} has features")
        if w.shape[1] % n or not w.shape[1]:
            raise ValueError(f"{name} {w.shape} must have a multiple of {heads}={n} columns")
    d_k, d_v = w_q.shape[1] // n_heads, w_v.shape[1] // n_kv_heads
    if w_k.shape[1] != n_kv_heads * d_k:
        raise ValueError(f"w_k {w_k.shape} must have n_kv_heads * d_k = {n_kv_heads} * {d_k} columns")
    if w_o.ndim != 2 or w_o.shape[0] != n_heads * d_v:
        raise ValueError(f"w_o {w_o.shape} must have n_heads * d_v = {n_heads} * {d_v} rows")
