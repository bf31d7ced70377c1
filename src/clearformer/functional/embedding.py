"""Embedding: each token gets a row of a table, and gradients are added to that row.

Ids that are not integers are a TypeError, and an id that is not in the vocabulary is a ValueError.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from clearformer.functional._checks import require_float, require_integers

Ids = Int[np.ndarray, "..."] | Sequence[int]


def one_hot(ids: Ids, vocab_size: int) -> Float[np.ndarray, "... vocab_size"]:
    r"""Represent each token by a unit vector: 1 at its own index, 0 everywhere else, in float64.

    .. math::

        O_{tv} = \delta_{v, i_t}

    Example:
        >>> one_hot([2, 0], vocab_size=3)
        array([[0., 0., 1.],
               [1., 0., 0.]])
    """
    is_it: np.ndarray = _checked(ids, vocab_size)[..., None] == np.arange(vocab_size)  # (..., vocab_size)
    return is_it.astype(float)


def embed(
    ids: Ids,
    table: Float[np.ndarray, "vocab_size d_model"],
) -> Float[np.ndarray, "... d_model"]:
    r"""Look up the row of each token: its unit vector times the table.

    .. math::

        \mathbf x_t = \sum_v \delta_{v, i_t}\,\mathbf e_v = \mathbf e_{i_t}

    The rows, (..., d_model), are a copy with the dtype of the table. A table
    that does not have two axes is a ValueError, as is a negative id, which
    would count from the end.

    Example:
        >>> embed([2, 0, 2], np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
        array([[4., 5.],
               [0., 1.],
               [4., 5.]])
    """
    require_float(table=table)
    if table.ndim != 2:
        got = f"got shape {table.shape}"
        raise ValueError(f"table must be (vocab_size, d_model), {got}")
    rows: np.ndarray = table[_checked(ids, table.shape[0])]  # (..., d_model)
    return rows


def embed_backward(
    d_output: Float[np.ndarray, "... d_model"], ids: Ids, vocab_size: int
) -> Float[np.ndarray, "vocab_size d_model"]:
    r"""Compute the gradient of a loss with respect to the table, given that with respect to the rows.

    .. math::

        \bar{\mathbf e}_v = \sum_{t\,:\,i_t = v} \bar{\mathbf x}_t

    A row that was looked up twice gets the sum, and one that was not looked up gets 0. A gradient without one row
    for each id is a ValueError.

    Example:
        >>> embed_backward(np.array([[1.0], [10.0], [100.0]]), [2, 0, 2], vocab_size=3)
        array([[ 10.],
               [  0.],
               [101.]])
    """
    require_float(d_output=d_output)
    rows = _checked(ids, vocab_size)  # (...)
    if d_output.shape[:-1] != rows.shape or d_output.ndim == 0:
        raise ValueError(f"d_output {d_output.shape} must have one row for each of the ids {rows.shape}")
    d_table = np.zeros((vocab_size, d_output.shape[-1]), dtype=d_output.dtype)  # (vocab_size, d_model)
    # Not d_table[rows] += d_output: that adds to each row only once, even if its token occurs twice.
    np.add.at(d_table, rows, d_output)
    return d_table


def _checked(ids: Ids, vocab_size: int) -> Int[np.ndarray, "..."]:
    """Return the ids as an array if each of them is in the vocabulary."""
    array = np.asarray(ids)  # (...)
    if array.size == 0:
        return array.astype(np.intp)  # an empty list becomes an array of floats
    require_integers("ids", array)
    wrong = array[(array < 0) | (array >= vocab_size)]
    if wrong.size:
        raise ValueError(f"ids must lie between 0 and {vocab_size - 1} for vocab_size={vocab_size}, got {wrong[0]}")
    return array
