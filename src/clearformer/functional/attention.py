"""Attention: each query gets an average of the values, weighted by how well the keys match it.

A mask is True where a query may attend to a key and broadcasts to the scores, (..., T, S).
"""

import math

import numpy as np
from jaxtyping import Bool, Float

from clearformer.functional._checks import (
    Keys,
    Output,
    Queries,
    Values,
    require_attention_shapes,
    require_bias,
    require_float,
    require_mask,
    require_same_width,
)
from clearformer.functional.activations import softmax, softmax_backward

Mask = Bool[np.ndarray, "..."] | None
Bias = Float[np.ndarray, "..."] | None
Weights = Float[np.ndarray, "*batch T S"]


def scaled_dot_product_attention(
    q: Float[np.ndarray, "*batch T d_k"],
    k: Float[np.ndarray, "*batch S d_k"],
    v: Float[np.ndarray, "*batch S d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
    *,
    position_bias: Float[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch T d_v"], Float[np.ndarray, "*batch T S"]]:
    r"""Average the values, weighted by the dot products of queries and keys.

    .. math::

        \operatorname{Attention}(Q, K, V) =
        \operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + W\right)V

    The mask says whether a query may attend to a key, the position bias
    :math:`W`, which broadcasts to the scores, how much their positions count.

    A query that may attend to nothing gets weights 0 and output 0. Masked
    keys and values have no influence, not even if they hold NaN or infinity.

    Returns:
        The output, (..., T, d_v), and the weights, (..., T, S).

    Raises:
        TypeError: an array does not hold floats, or the mask no booleans.
        ValueError: the shapes do not fit together.

    Source: Vaswani et al. (2017), eq. 1; Raffel et al. (2020) for the bias.

    Example:
        >>> q, k, v = np.zeros((1, 2)), np.eye(2), np.array([[2.0], [6.0]])
        >>> scaled_dot_product_attention(q, k, v)
        (array([[4.]]), array([[0.5, 0.5]]))
    """
    require_float(q=q, k=k, v=v)
    require_attention_shapes(q, k, v)
    require_same_width(q, k)
    # A key that the mask hides may give inf - inf.
    with np.errstate(invalid="ignore"):
        scores = q @ k.swapaxes(-1, -2) / math.sqrt(k.shape[-1])  # (..., T, S)
        if position_bias is not None:
            require_bias(position_bias, scores.shape)
            scores = scores + position_bias  # (..., T, S)
    return _attend(scores, v, mask)


def scaled_dot_product_attention_backward(
    d_output: Output, q: Queries, k: Keys, v: Values, mask: Mask = None, *, position_bias: Bias = None
) -> tuple[Float[np.ndarray, "..."], ...]:
    r"""Compute the gradients of a loss with respect to queries, keys, values and position bias.

    With the scores :math:`z_{ts} = \mathbf q_t\cdot\mathbf k_s/\sqrt{d_k} + w_{ts}`, their softmax
    :math:`\alpha_{ts}` over s, and :math:`Y = AV`:

    .. math::

        \bar V = A^\top\bar Y, \quad \bar A = \bar Y V^\top, \quad
        \bar w_{ts} = \bar z_{ts} = \alpha_{ts}\Big(\bar\alpha_{ts} - \sum_j \alpha_{tj}\bar\alpha_{tj}\Big), \quad
        \bar{\mathbf q}_t = \frac{\sum_s \bar z_{ts}\mathbf k_s}{\sqrt{d_k}}, \quad
        \bar{\mathbf k}_s = \frac{\sum_t \bar z_{ts}\mathbf q_t}{\sqrt{d_k}}

    Arguments and errors are those of the forward pass, and the gradient with respect to the output.

    Returns:
        The gradients with respect to q, k and v, each with the shape of its array, and, if there is a position
        bias, with respect to it: a number that was broadcast to several scores gets the sum of their gradients.
        A query that may attend to nothing has gradient 0 and contributes 0.

    Example:
        >>> q, k, v = np.zeros((1, 2)), np.eye(2), np.array([[2.0], [6.0]])
        >>> scaled_dot_product_attention_backward(np.ones((1, 1)), q, k, v)[2]  # with respect to the values
        array([[0.5],
               [0.5]])
    """
    output, weights = scaled_dot_product_attention(q, k, v, mask, position_bias=position_bias)
    require_float(d_output=d_output)
    if d_output.shape != output.shape:
        raise ValueError(f"d_output {d_output.shape} must have the shape of the output {output.shape}")
    root = math.sqrt(k.shape[-1])
    shape = weights.shape  # (..., T, S)
    allowed = np.broadcast_to(True if mask is None else mask, shape)
    transposed = allowed.swapaxes(-1, -2)  # (..., S, T)

    with np.errstate(invalid="ignore"):
        d_weights = d_output @ v.swapaxes(-1, -2)  # (..., T, S)
    d_weights = np.where(allowed, d_weights, 0)  # (..., T, S)
    d_scores = softmax_backward(weights, d_weights)  # (..., T, S)

    # The shapes of q, k and v: (..., T, d_k), (..., S, d_k), (..., S, d_v).
    d_queries = _sum_allowed(d_scores, k, allowed) / root
    d_keys = _sum_allowed(d_scores.swapaxes(-1, -2), q, transposed) / root
    d_values = _sum_allowed(weights.swapaxes(-1, -2), d_output, transposed)
    if position_bias is None:
        return d_queries, d_keys, d_values
    d_bias = _sum_to(position_bias.shape, np.where(allowed, d_scores, 0))
    return d_queries, d_keys, d_values, d_bias


def additive_attention(
    q: Float[np.ndarray, "*batch T d_q"],
    k: Keys,
    v: Values,
    w_q: Float[np.ndarray, "d_q d_hidden"],
    w_k: Float[np.ndarray, "d_k d_hidden"],
    w_score: Float[np.ndarray, " d_hidden"],
    mask: Mask = None,
) -> tuple[Output, Weights]:
    r"""Average the values, weighted by scores that a small network computes from queries and keys.

    .. math::

        z_{ij} = \mathbf w^\top\tanh(\mathbf q_i W_q + \mathbf k_j W_k), \qquad
        \mathbf o_i = \sum_j \operatorname{softmax}(\mathbf z_i)_j\,\mathbf v_j

    Queries and keys may have different widths: the network maps both to ``d_hidden``. Errors, and queries that may
    attend to nothing, as in ``scaled_dot_product_attention``.

    Returns:
        The output, (..., T, d_v), and the weights, (..., T, S).

    Source: Bahdanau et al. (2015), appendix A.1.2.

    Example:
        >>> q, k, v = np.zeros((1, 3)), np.array([[0.0, 0.0], [50.0, 50.0]]), np.array([[2.0], [6.0]])
        >>> additive_attention(q, k, v, np.ones((3, 1)), np.ones((2, 1)), np.log([3.0]))
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
    with np.errstate(invalid="ignore"):  # a key that the mask hides may give inf - inf
        hidden = np.tanh((q @ w_q)[..., :, None, :] + (k @ w_k)[..., None, :, :])  # (..., T, S, d_hidden)
        scores = hidden @ w_score  # (..., T, S)
    return _attend(scores, v, mask)


def _attend(
    scores: Float[np.ndarray, "*batch T S"],
    v: Float[np.ndarray, "*batch S d_v"],
    mask: Bool[np.ndarray, "..."] | None,
) -> tuple[Float[np.ndarray, "*batch T d_v"], Float[np.ndarray, "*batch T S"]]:
    """Average the values, weighted by the softmax of the allowed scores."""
    if mask is None:
        weights = softmax(scores)  # (..., T, S)
        return weights @ v, weights
    require_mask(mask, scores.shape)
    allowed = np.broadcast_to(mask, scores.shape)  # (..., T, S)
    weights = softmax(np.where(allowed, scores, -np.inf))  # (..., T, S)
    return _sum_allowed(weights, v, allowed), weights


def _sum_allowed(
    a: Float[np.ndarray, "*batch n m"], b: Float[np.ndarray, "*batch m d"], allowed: Bool[np.ndarray, "*batch n m"]
) -> Float[np.ndarray, "*batch n d"]:
    """Compute ``a @ b`` without the terms that are not allowed."""
    with np.errstate(invalid="ignore"):
        product: np.ndarray = a @ b  # (..., n, d)
        if not np.isfinite(product).all():
            # Weight 0 does not remove NaN, since 0 * nan is nan: leave out the term itself, which is slower.
            terms = a[..., :, :, None] * b[..., None, :, :]  # (..., n, m, d)
            product = terms.sum(axis=-2, where=allowed[..., None])  # (..., n, d)
    return product


def _sum_to(shape: tuple[int, ...], x: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Sum over the axes along which an array of this shape was broadcast."""
    padded = (1,) * (x.ndim - len(shape)) + shape
    spread = tuple(axis for axis, size in enumerate(padded) if size == 1)
    summed: np.ndarray = x.sum(axis=spread, keepdims=True).reshape(shape)
    return summed
