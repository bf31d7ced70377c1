"""Attention without dot products: a learned number for each pair of positions says how much a position counts."""

import numpy as np
from jaxtyping import Bool, Float

from clearformer.functional._checks import require_attention_shapes, require_float, require_mask
from clearformer.functional.activations import softmax


def attention_free(
    q: Float[np.ndarray, "*batch T d"],
    k: Float[np.ndarray, "*batch S d"],
    v: Float[np.ndarray, "*batch S d"],
    position_bias: Float[np.ndarray, "T S"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> Float[np.ndarray, "*batch T d"]:
    r"""Average the values feature by feature, weighted by a key plus a bias for the pair of positions (AFT).

    .. math::

        \mathbf y_t = \sigma(\mathbf q_t)\odot
        \frac{\sum_s e^{\mathbf k_s + w_{ts}}\odot\mathbf v_s}{\sum_s e^{\mathbf k_s + w_{ts}}}

    Exponential, product and division act on each feature separately: every feature has its own softmax over the
    positions, and the query is a gate for the result. The working memory is a few arrays of (..., S, d).

    A position that may attend to nothing gets output 0, and masked positions have no influence. Mask and errors are
    those of ``scaled_dot_product_attention``.

    Source: Zhai et al. (2021), eq. 2.

    Example:
        >>> q, k, v = np.zeros((1, 1)), np.zeros((2, 1)), np.array([[4.0], [8.0]])
        >>> attention_free(q, k, v, np.log([[3.0, 1.0]])).round(6)
        array([[2.5]])
    """
    require_float(q=q, k=k, v=v, position_bias=position_bias)
    require_attention_shapes(q, k, v)
    if not q.shape[-1] == k.shape[-1] == v.shape[-1]:
        raise ValueError(f"q {q.shape}, k {k.shape} and v {v.shape} must share their last axis: features do not mix")
    T, S = q.shape[-2], k.shape[-2]
    if position_bias.shape != (T, S):
        raise ValueError(f"position_bias {position_bias.shape} must be (T, S) = {(T, S)}")
    shape = (*q.shape[:-1], S)
    require_mask(mask := np.ones((1, 1), dtype=bool) if mask is None else mask, shape)
    allowed = np.broadcast_to(mask, shape)  # (..., T, S)

    average = np.empty(q.shape, np.result_type(k, v, position_bias))  # (..., T, d)
    with np.errstate(invalid="ignore"):  # a key that the mask hides may give inf - inf
        for t in range(T):
            seen = allowed[..., t, :, None]  # (..., S, 1)
            # The softmax subtracts the largest sum of key and bias: shifting them separately could underflow.
            weights = softmax(np.where(seen, k + position_bias[t, :, None], -np.inf), axis=-2)  # (..., S, d)
            average[..., t, :] = (weights * np.where(seen, v, 0)).sum(axis=-2)
    gate = np.exp(-np.logaddexp(0, -q))  # the logistic function, without overflow; (..., T, d)
    output: np.ndarray = gate * average  # (..., T, d)
    return output
