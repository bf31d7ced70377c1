"""Attention: each query takes a weighted average of the values, weighted by how well the keys match it."""

import math

import numpy as np
from jaxtyping import Bool, Float

from clearformer.functional._checks import (
    require_attention_shapes,
    require_float,
    require_mask,
    require_same_width,
)
from clearformer.functional.activations import softmax, softmax_backward


def scaled_dot_product_attention(
    q: Float[np.ndarray, "*batch T d_k"],
    k: Float[np.ndarray, "*batch S d_k"],
    v: Float[np.ndarray, "*batch S d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch T d_v"], Float[np.ndarray, "*batch T S"]]:
    r"""Average the values by the match of queries and keys, measured by their dot product.

    .. math::

        \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V

    A query that may attend to nothing gets weights 0 and output 0. What a query may not see cannot touch it,
    not even a NaN or an infinity in a masked key or value.

    Args:
        q: Queries, (..., T, d_k).
        k: Keys, (..., S, d_k).
        v: Values, (..., S, d_v).
        mask: True where a query may attend to a key; broadcasts to (..., T, S).

    Returns:
        The output, (..., T, d_v), and the weights, (..., T, S).

    Raises:
        TypeError: q, k or v does not hold floats, or the mask is not boolean.
        ValueError: the shapes do not fit together.

    Source: Vaswani et al. (2017), eq. 1.

    Example:
        >>> q = np.array([[0.0, 0.0]])
        >>> k = np.array([[1.0, 0.0], [0.0, 1.0]])
        >>> v = np.array([[2.0], [6.0]])
        >>> output, weights = scaled_dot_product_attention(q, k, v)
        >>> output, weights
        (array([[4.]]), array([[0.5, 0.5]]))
    """
    require_float(q=q, k=k, v=v)
    require_attention_shapes(q, k, v)
    require_same_width(q, k)
    with np.errstate(invalid="ignore"):  # inf - inf in a key that the mask may well hide
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(k.shape[-1])  # (..., T, S)
    return _attend(scores, v, mask)


def scaled_dot_product_attention_backward(
    d_output: Float[np.ndarray, "*batch T d_v"],
    q: Float[np.ndarray, "*batch T d_k"],
    k: Float[np.ndarray, "*batch S d_k"],
    v: Float[np.ndarray, "*batch S d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch T d_k"], Float[np.ndarray, "*batch S d_k"], Float[np.ndarray, "*batch S d_v"]]:
    r"""Carry the gradient of a loss from the output of attention back to its queries, keys and values.

    With :math:`S = QK^\top/\sqrt{d_k}`, :math:`A = \operatorname{softmax}(S)` and :math:`Y = AV`:

    .. math::

        \bar V = A^\top\bar Y, \quad \bar A = \bar Y V^\top, \quad
        \bar S_{ij} = A_{ij}\Big(\bar A_{ij} - \sum_l A_{il}\bar A_{il}\Big), \quad
        \bar Q = \frac{\bar S K}{\sqrt{d_k}}, \quad \bar K = \frac{\bar S^\top Q}{\sqrt{d_k}}

    Args:
        d_output: Gradient of the loss by the output, (..., T, d_v).
        q: Queries, (..., T, d_k).
        k: Keys, (..., S, d_k).
        v: Values, (..., S, d_v).
        mask: True where a query may attend to a key; broadcasts to (..., T, S).

    Returns:
        The gradients of the loss by q, k and v, each with the shape of its array. A query that may attend to
        nothing gets 0 and gives 0.

    Raises:
        TypeError: an array does not hold floats, or the mask is not boolean.
        ValueError: the shapes do not fit together.

    Example:
        >>> q, k, v = np.zeros((1, 2)), np.eye(2), np.array([[2.0], [6.0]])
        >>> d_q, d_k, d_v = scaled_dot_product_attention_backward(np.ones((1, 1)), q, k, v)
        >>> d_v
        array([[0.5],
               [0.5]])
    """
    output, weights = scaled_dot_product_attention(q, k, v, mask)  # (..., T, d_v), (..., T, S)
    require_float(d_output=d_output)
    if d_output.shape != output.shape:
        raise ValueError(f"d_output {d_output.shape} must have the shape of the output {output.shape}")
    allowed = np.ones_like(weights, dtype=bool) if mask is None else np.broadcast_to(mask, weights.shape)
    transposed = allowed.swapaxes(-1, -2)  # (..., S, T)

    with np.errstate(invalid="ignore"):
        d_weights = d_output @ v.swapaxes(-1, -2)  # (..., T, S)
    d_weights = np.where(allowed, d_weights, 0)  # (..., T, S)
    d_scores = softmax_backward(weights, d_weights) / math.sqrt(k.shape[-1])  # (..., T, S)

    d_q = _sum_allowed(d_scores, k, allowed)  # (..., T, d_k)
    d_k = _sum_allowed(d_scores.swapaxes(-1, -2), q, transposed)  # (..., S, d_k)
    d_v = _sum_allowed(weights.swapaxes(-1, -2), d_output, transposed)  # (..., S, d_v)
    return d_q, d_k, d_v


def additive_attention(
    q: Float[np.ndarray, "*batch T d_q"],
    k: Float[np.ndarray, "*batch S d_k"],
    v: Float[np.ndarray, "*batch S d_v"],
    w_q: Float[np.ndarray, "d_q d_hidden"],
    w_k: Float[np.ndarray, "d_k d_hidden"],
    w_score: Float[np.ndarray, " d_hidden"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch T d_v"], Float[np.ndarray, "*batch T S"]]:
    r"""Average the values by the match of queries and keys, measured by a small network.

    .. math::

        s_{ij} = \mathbf w^\top\tanh(\mathbf q_i W_q + \mathbf k_j W_k), \qquad
        \mathbf o_i = \sum_j \operatorname{softmax}(s_i)_j\,\mathbf v_j

    Queries and keys may differ in width here: the network brings both to ``d_hidden``.

    Args:
        q: Queries, (..., T, d_q).
        k: Keys, (..., S, d_k).
        v: Values, (..., S, d_v).
        w_q: Projection of the queries, (d_q, d_hidden).
        w_k: Projection of the keys, (d_k, d_hidden).
        w_score: Read-out of the score, (d_hidden,).
        mask: True where a query may attend to a key; broadcasts to (..., T, S).

    Returns:
        The output, (..., T, d_v), and the weights, (..., T, S).

    Raises:
        TypeError: an array does not hold floats, or the mask is not boolean.
        ValueError: the shapes do not fit together.

    Source: Bahdanau et al. (2015), appendix A.1.2.

    Example:
        >>> q, k, v = np.zeros((1, 3)), np.array([[0.0, 0.0], [9.0, 9.0]]), np.array([[2.0], [6.0]])
        >>> output, weights = additive_attention(q, k, v, np.ones((3, 1)), np.ones((2, 1)), np.log([3.0]))
        >>> output, weights
        (array([[5.]]), array([[0.25, 0.75]]))
    """
    require_float(q=q, k=k, v=v, w_q=w_q, w_k=w_k, w_score=w_score)
    require_attention_shapes(q, k, v)
    for name, array, expected in (
        ("w_q", w_q, (q.shape[-1], w_score.size)),
        ("w_k", w_k, (k.shape[-1], w_score.size)),
        ("w_score", w_score, (w_score.size,)),
    ):
        if array.shape != expected:
            fit = f"q {q.shape}, k {k.shape} and w_score {w_score.shape}"
            raise ValueError(f"{name} {array.shape} must be {expected} to fit {fit}")
    with np.errstate(invalid="ignore"):  # inf - inf in a key that the mask may well hide
        hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])  # (..., T, S, d_hidden)
        scores = hidden @ w_score  # (..., T, S)
    return _attend(scores, v, mask)


def _attend(
    scores: Float[np.ndarray, "*batch T S"],
    v: Float[np.ndarray, "*batch S d_v"],
    mask: Bool[np.ndarray, "..."] | None,
) -> tuple[Float[np.ndarray, "*batch T d_v"], Float[np.ndarray, "*batch T S"]]:
    """Turn scores into weights and average the values by them, keeping to the mask."""
    if mask is None:
        weights = softmax(scores)  # (..., T, S)
        return weights @ v, weights
    require_mask(mask, scores.shape)
    allowed = np.broadcast_to(mask, scores.shape)  # (..., T, S)
    weights = softmax(np.where(allowed, scores, -np.inf))  # (..., T, S)
    return _sum_allowed(weights, v, allowed), weights


def _sum_allowed(
    a: Float[np.ndarray, "*batch n m"],
    b: Float[np.ndarray, "*batch m d"],
    allowed: Bool[np.ndarray, "*batch n m"],
) -> Float[np.ndarray, "*batch n d"]:
    """Compute ``a @ b``, leaving out the terms that are not allowed."""
    with np.errstate(invalid="ignore"):
        product: np.ndarray = a @ b  # (..., n, d)
        if not np.isfinite(product).all():
            # Weight 0 does not hide a broken value, since 0 * nan is nan: drop the term itself, at a cost.
            terms = a[..., :, :, None] * b[..., None, :, :]  # (..., n, m, d)
            product = terms.sum(axis=-2, where=allowed[..., None])  # (..., n, d)
    return product
