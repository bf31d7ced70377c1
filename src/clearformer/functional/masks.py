"""Masks: boolean arrays that are True where a query position **may** attend to a key position."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Int

# A mask computed block by block: from positions of queries, (t,), and of keys, (s,), to an array for (..., t, s).
BlockMask = Callable[[Int[np.ndarray, " t"], Int[np.ndarray, " s"]], Bool[np.ndarray, "..."]]


def causal_mask(T: int, S: int | None = None) -> Bool[np.ndarray, "T S"]:
    """Return the causal mask: every position may attend to itself and to earlier positions.

    With more keys than queries (``S > T``) the queries are the **last** ``T`` of the ``S`` positions, as in a
    decoder with a cache of past keys.

    Args:
        T: Number of query positions.
        S: Number of key positions; ``T`` by default.

    Returns:
        The mask, (T, S).

    Raises:
        ValueError: ``T`` is negative, or there are fewer keys than queries (a query would not see itself).

    Source: Vaswani et al. (2017), section 3.2.3.

    Example:
        >>> causal_mask(3).astype(int)
        array([[1, 0, 0],
               [1, 1, 0],
               [1, 1, 1]])
    """
    S = T if S is None else S
    _require_causal(T, S)
    query_positions = np.arange(S - T, S)  # (T,)
    key_positions = np.arange(S)  # (S,)
    return query_positions[:, None] >= key_positions  # (T, S)


def causal_blocks(T: int, S: int | None = None) -> BlockMask:
    """Return the causal mask as a function that computes it block by block, without the (T, S) array.

    Args:
        T: Number of query positions.
        S: Number of key positions; ``T`` by default.

    Returns:
        A function of query positions, (t,), and key positions, (s,), both in ascending order. It returns their
        block of the mask, (t, s), or (1, 1) if it is the same everywhere.

    Raises:
        ValueError: ``T`` is negative, or there are fewer keys than queries.

    Example:
        >>> mask = causal_blocks(4)
        >>> mask(np.array([2, 3]), np.array([2, 3])).astype(int)
        array([[1, 0],
               [1, 1]])
        >>> mask(np.array([0, 1]), np.array([2, 3]))
        array([[False]])
    """
    S = T if S is None else S
    _require_causal(T, S)

    def mask(query_positions: np.ndarray, key_positions: np.ndarray) -> np.ndarray:
        queries = query_positions + (S - T)  # (t,)
        if queries[-1] < key_positions[0]:
            return np.array([[False]])
        if queries[0] >= key_positions[-1]:
            return np.array([[True]])
        seen: np.ndarray = queries[:, None] >= key_positions  # (t, s)
        return seen

    return mask


def padding_mask(lengths: Int[np.ndarray, "*batch"] | Sequence[int], S: int) -> Bool[np.ndarray, "*batch 1 S"]:
    """Return the mask that hides the padding at the end of sequences of different lengths.

    Args:
        lengths: Number of tokens in each sequence without padding, (...).
        S: Number of key positions, padding included.

    Returns:
        The mask, (..., 1, S), the same for all query positions. For several heads, use lengths of shape (B, 1).

    Raises:
        TypeError: ``lengths`` are not integers.
        ValueError: a length is negative or larger than ``S``.

    Example:
        >>> padding_mask([3, 1], S=4).astype(int)
        array([[[1, 1, 1, 0]],
        <BLANKLINE>
               [[1, 0, 0, 0]]])
    """
    lengths = np.asarray(lengths)  # (...)
    if not np.issubdtype(lengths.dtype, np.integer):
        raise TypeError(f"lengths must be integers, got dtype {lengths.dtype} and shape {lengths.shape}")
    wrong = lengths[(lengths < 0) | (lengths > S)]
    if wrong.size:
        raise ValueError(f"lengths must lie between 0 and S={S}, got {wrong[0]}")
    return np.arange(S) < lengths[..., None, None]  # (..., 1, S)


def _require_causal(T: int, S: int) -> None:
    if not 0 <= T <= S:
        raise ValueError(f"T={T} query positions must be the last of S={S} key positions: need 0 <= T <= S")
