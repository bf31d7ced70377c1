"""Exact attention in linear memory: scores are computed for one tile of queries and keys at a time."""

import math

import numpy as np
from jaxtyping import Bool, Float

from clearformer.functional._checks import (
    Keys,
    Output,
    Queries,
    Values,
    require_attention_shapes,
    require_float,
    require_same_width,
)
from clearformer.functional._tiles import blocks
from clearformer.functional.masks import BlockMask

Mask = Bool[np.ndarray, "..."] | BlockMask | None
Kept = tuple[Output, Float[np.ndarray, "*batch T"]]  # the output, and the logarithm of the denominator
# If every |score| is below this, exponentials and their sums are far from overflow and underflow in float32.
SAFE_SCORE = 30.0


def streaming_attention(q: Queries, k: Keys, v: Values, mask: Mask = None, *, chunk: int = 384) -> Output:
    """Compute scaled dot-product attention without storing its (T, S) scores.

    Tiles of ``chunk`` queries and ``chunk`` keys are processed one after another and merged by the online softmax.
    Tiles that are masked completely are skipped: with a causal mask, nearly half of all. The working memory is a few
    tiles, whatever T, S and the number of heads. Heads are independent, so they may be computed in several threads.

    The mask may also be a function that computes it for a tile, such as
    :func:`~clearformer.functional.masks.causal_blocks` returns: from positions of queries, (t,), and of keys, (s,), to
    an array that broadcasts to (..., t, s). Masked positions and errors are treated as in
    ``scaled_dot_product_attention``; a chunk below 1 is a ValueError.

    Source: Milakov and Gimelshein (2018), Rabe and Staats (2021), Dao et al. (2022).

    Example:
        >>> q, k, v = np.zeros((3, 2)), np.zeros((3, 2)), np.array([[3.0], [6.0], [9.0]])
        >>> streaming_attention(q, k, v, lambda queries, keys: queries[:, None] >= keys, chunk=2)
        array([[3. ],
               [4.5],
               [6. ]])
    """
    output, _ = streaming_attention_with_logsumexp(q, k, v, mask, chunk=chunk)
    return output


def streaming_attention_with_logsumexp(q: Queries, k: Keys, v: Values, mask: Mask = None, *, chunk: int = 384) -> Kept:
    r"""Compute :func:`streaming_attention`, and for each query the number that the backward pass needs.

    For each tile of keys, given :math:`m`, :math:`l` and :math:`\mathbf o` of a query so far:

    .. math::

        m' = \max(m, \max_s z_s), \quad
        l' = e^{m - m'} l + \sum_s e^{z_s - m'}, \quad
        \mathbf o' = e^{m - m'}\mathbf o + \sum_s e^{z_s - m'}\mathbf v_s

    At the end the output is :math:`\mathbf o / l`, and :math:`\log\sum_s e^{z_s} = m + \log l`.

    Returns:
        The output, (..., T, d_v), and the logarithm of the softmax's denominator, (..., T): -inf for a query that
        may attend to nothing.

    Example:
        >>> output, logsumexp = streaming_attention_with_logsumexp(np.zeros((1, 2)), np.zeros((2, 2)), 4 * np.eye(2))
        >>> output, np.exp(logsumexp)
        (array([[2., 2.]]), array([2.]))
    """
    _check(q, k, v, chunk)
    dtype = np.result_type(q, k, v)
    output = np.zeros((*q.shape[:-1], v.shape[-1]), dtype)  # (..., T, d_v)
    logsumexp = np.zeros(q.shape[:-1], dtype)  # (..., T)
    scale, shift = 1 / math.sqrt(k.shape[-1]), _needs_shift(q, k, dtype)
    work = np.empty(chunk * chunk, dtype)
    # Masked scores may give inf - inf, and a query that attends to nothing log 0.
    with np.errstate(invalid="ignore", divide="ignore"):
        for head, rows, tiles in blocks(q, k, mask, chunk):
            q_rows = scale * q[head][rows]  # (t, d_k)
            o = output[head][rows]  # (t, d_v)
            m = np.full(len(o), -np.inf if shift else 0, dtype)  # (t,)
            total = np.zeros_like(m)  # (t,)
            for keys, hidden in tiles:
                e = _scores(q_rows, k[head][keys], hidden, work)  # (s, t)
                if shift:
                    m, before = np.maximum(m, e.max(axis=0)), m  # (t,)
                    highest = np.where(m == -np.inf, 0, m)
                    e -= highest
                    factor = np.exp(before - highest)  # (t,)
                    total *= factor
                    o *= factor[:, None]
                np.exp(e, out=e)
                total += np.ones(len(e), e.dtype) @ e
                turned = None if hidden is None else hidden.T  # (t, s)
                o += _product(e.T, v[head][keys], turned)  # (t, d_v)
            o /= np.where(total == 0, 1, total)[:, None]
            logsumexp[head][rows] = m + np.log(total)
    return output, logsumexp


def streaming_attention_backward(
    d_output: Output, q: Queries, k: Keys, v: Values, mask: Mask = None, *, kept: Kept | None = None, chunk: int = 384
) -> tuple[Queries, Keys, Values]:
    r"""Compute the gradients of :func:`streaming_attention`, recomputing the weights of each tile.

    With the output :math:`Y` and :math:`\ell_t`, the logarithm of the denominator:

    .. math::

        \alpha_{ts} = e^{z_{ts} - \ell_t}, \quad
        \bar z_{ts} = \alpha_{ts}\Big(\bar{\mathbf y}_t\cdot\mathbf v_s - \bar{\mathbf y}_t\cdot\mathbf y_t\Big), \quad
        \bar V = A^\top\bar Y, \quad
        \bar{\mathbf q}_t = \frac{\sum_s \bar z_{ts}\mathbf k_s}{\sqrt{d_k}}, \quad
        \bar{\mathbf k}_s = \frac{\sum_t \bar z_{ts}\mathbf q_t}{\sqrt{d_k}}

    ``kept`` is what :func:`streaming_attention_with_logsumexp` returned for the same q, k, v and mask; it is computed
    again by default. A query that may attend to nothing has gradient 0 and contributes 0.

    Source: Dao (2024), algorithm 2.

    Example:
        >>> q, k, v = np.zeros((1, 2)), np.eye(2), np.array([[2.0], [6.0]])
        >>> streaming_attention_backward(np.ones((1, 1)), q, k, v)[2]  # with respect to the values
        array([[0.5],
               [0.5]])
    """
    _check(q, k, v, chunk)
    output, logsumexp = kept or streaming_attention_with_logsumexp(q, k, v, mask, chunk=chunk)
    require_float(d_output=d_output, output=output, logsumexp=logsumexp)
    expected = (*q.shape[:-1], v.shape[-1])
    for name, array, shape in (
        ("d_output", d_output, expected),
        ("the output kept", output, expected),
        ("the logsumexp kept", logsumexp, q.shape[:-1]),
    ):
        if array.shape != shape:
            raise ValueError(f"{name} {array.shape} must be {shape} to fit q {q.shape} and v {v.shape}")
    dtype = np.result_type(d_output, q, k, v)
    d_queries, d_keys, d_values = (np.zeros(array.shape, dtype) for array in (q, k, v))
    scale, shift = 1 / math.sqrt(k.shape[-1]), _needs_shift(q, k, dtype)
    work = np.empty((2, chunk * chunk), dtype)
    with np.errstate(invalid="ignore"):
        for head, rows, tiles in blocks(q, k, mask, chunk):
            q_rows = scale * q[head][rows]  # (t, d_k)
            d_rows, kept_rows = d_output[head][rows], logsumexp[head][rows]
            # For a query that attends to nothing the exponentials must be 0, not 0 / 0.
            subtract = np.where(kept_rows == -np.inf, np.inf, kept_rows)  # (t,)
            if not shift:
                # Less work than dividing the tile by the denominator.
                d_rows = d_rows * np.exp(-subtract)[:, None]  # (t, d_v)
            row_term = (d_rows * output[head][rows]).sum(axis=-1)  # (t,)
            for keys, hidden in tiles:
                k_part, v_part = k[head][keys], v[head][keys]
                turned = None if hidden is None else hidden.T  # (t, s)
                e = _scores(q_rows, k_part, hidden, work[0])  # (s, t)
                if shift:
                    e -= subtract
                np.exp(e, out=e)
                d_values[head][keys] += _product(e, d_rows, hidden)  # (s, d_v)
                d_e = np.matmul(v_part, d_rows.T, out=_view(work[1], e.shape))  # (s, t)
                d_e -= row_term
                d_scores = np.multiply(e, d_e, out=d_e)  # (s, t)
                d_keys[head][keys] += _product(d_scores, q_rows, hidden)  # (s, d_k)
                d_queries[head][rows] += _product(d_scores.T, k_part, turned)  # (t, d_k)
            d_queries[head][rows] *= scale
    return d_queries, d_keys, d_values


def _scores(
    q: Float[np.ndarray, "t d_k"],
    k: Float[np.ndarray, "s d_k"],
    hidden: Bool[np.ndarray, "s t"] | None,
    work: Float[np.ndarray, " n"],
) -> Float[np.ndarray, "s t"]:
    """Compute the scores of a tile, -inf where hidden. Keys are the rows, which is faster in BLAS."""
    scores = np.matmul(k, q.T, out=_view(work, (len(k), len(q))))  # (s, t)
    if hidden is not None:
        np.copyto(scores, -np.inf, where=hidden)
    return scores


def _product(
    a: Float[np.ndarray, "n m"], b: Float[np.ndarray, "m d"], hidden: Bool[np.ndarray, "n m"] | None
) -> Float[np.ndarray, "n d"]:
    """Compute ``a @ b`` without the terms that are hidden."""
    product: np.ndarray = a @ b  # (n, d)
    if hidden is not None and not np.isfinite(product).all():
        # Weight 0 does not remove NaN, since 0 * nan is nan: leave out the term itself, which is slower.
        for row, terms, seen in zip(product, a, ~hidden, strict=True):
            row[:] = terms[seen] @ b[seen]
    return product


def _needs_shift(q: np.ndarray, k: np.ndarray, dtype: np.dtype) -> bool:
    """Return whether a score could overflow exp, by the Cauchy-Schwarz bound."""
    if q.size == 0 or k.size == 0:
        return False
    if np.finfo(dtype).max < np.finfo(np.float32).max:
        return True
    longest = (math.sqrt(np.einsum("...d,...d->...", x, x).max()) for x in (q, k))
    return not math.prod(longest) / math.sqrt(k.shape[-1]) < SAFE_SCORE  # True for NaN as well


def _view(work: Float[np.ndarray, " n"], shape: tuple[int, int]) -> Float[np.ndarray, "s t"]:
    """Return the first numbers of the working memory as an array of this shape."""
    return work[: math.prod(shape)].reshape(shape)


def _check(q: np.ndarray, k: np.ndarray, v: np.ndarray, chunk: int) -> None:
    require_float(q=q, k=k, v=v)
    require_attention_shapes(q, k, v)
    require_same_width(q, k)
    if chunk < 1:
        raise ValueError(f"chunk={chunk} must be at least 1")
